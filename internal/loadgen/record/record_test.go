package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestHistogramIsAnHdrHistogramToTheBucket(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ours, theirs := new(Histogram), hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
	values := []int64{0, 1, 2, 2047, 2048, 2049, 4095, 4096, bundle.HistogramMaxMicros}
	for range 20_000 {
		values = append(values, rng.Int64N(1<<(1+rng.Uint32N(29))))
	}
	for _, v := range values {
		if !ours.Record(v) {
			t.Fatalf("%d was not taken", v)
		}
		if err := theirs.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := newEncoder().append(nil, ours)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := hdr.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if !decoded.Equals(theirs) {
		t.Error("decoded, it differs from the library's histogram of the same values")
	}
	if ours.Total() != theirs.TotalCount() || ours.Max() != theirs.Max() {
		t.Errorf("total %d and max %d, want %d and %d", ours.Total(), ours.Max(), theirs.TotalCount(), theirs.Max())
	}
}

func TestAValueBeyondTheGeometryIsCountedAtItsEnd(t *testing.T) {
	h, end := new(Histogram), new(Histogram)
	end.Record(bundle.HistogramMaxMicros)
	if h.Record(-1) || h.Total() != 0 {
		t.Error("a negative value was taken")
	}
	if !h.Record(bundle.HistogramMaxMicros+1) || !h.Record(1<<62) || h.Total() != 2 || h.Max() != end.Max() {
		t.Errorf("%d values up to %d, want 2 of %d", h.Total(), h.Max(), end.Max())
	}
}

// A store may take longer than any histogram holds, and the run is no less valid for it.
func TestAnAnswerAfterHoursIsRecordedAsOne(t *testing.T) {
	set := NewSet(1, start, true)
	r := set.Recorder(0)
	hour := time.Hour
	for _, s := range []Sample{
		{Kind: stores.Read, Intended: ms(2), Sent: hour, Done: hour + ms(5)}, // waited for a slot: that and the response
		{Kind: stores.Update, Intended: ms(3), Sent: ms(3), Done: hour},      // both times are over
	} {
		r.Intend(s.Intended, false)
		r.Finish(&s)
	}
	in := set.Collect()
	if in.Dropped != 0 || in.OverRange != 4 || in.Succeeded != 2 {
		t.Errorf("dropped %d, over range %d, succeeded %d", in.Dropped, in.OverRange, in.Succeeded)
	}
	if b := binsOf(in)[0]; b.OK[bundle.LateBuckets-1] != 2 || b.FirstDoneMicros != hour.Microseconds() {
		t.Errorf("bin %+v", b)
	}
	if in.Late != 1 {
		t.Errorf("%d late, and the read alone was", in.Late)
	}
	if again := set.Collect(); again.OverRange != 0 {
		t.Errorf("%d values over range are counted twice", again.OverRange)
	}
}

func TestMovedCountsAreCountedOnce(t *testing.T) {
	a, b, sum := new(Histogram), new(Histogram), new(Histogram)
	for v := range int64(5000) {
		a.Record(v)
		b.Record(v * 100)
	}
	a.moveTo(sum)
	b.moveTo(sum)
	a.moveTo(sum)
	if sum.Total() != 10_000 || a.Total() != 0 {
		t.Errorf("sum %d, rest %d", sum.Total(), a.Total())
	}
}

const start = 1_700_000_000_400_000_000 // a workload may begin within a second

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

func TestOperationsAreFiledUnderTheirIntendedTime(t *testing.T) {
	set := NewSet(2, start, true)
	for _, s := range []Sample{
		{Kind: stores.Read, Intended: ms(5), Sent: ms(6), Done: ms(8)},
		// Intended in the first second, done in the fourth: a stall.
		{Kind: stores.Read, Intended: ms(15), Sent: ms(16), Done: ms(3015.5)},
		{Kind: stores.Update, Outcome: stores.Unknown, Intended: ms(700), Sent: ms(700), Done: ms(2700)},
		{Kind: stores.Read, Outcome: stores.Failed, Intended: ms(701), Sent: ms(701), Done: ms(702)},
	} {
		set.Recorder(0).Intend(s.Intended, s.Kind == stores.Update)
		set.Recorder(1).Finish(&s)
	}
	in := set.Collect()
	if in.Intended != 4 || in.Finished != 4 || in.Succeeded != 2 || in.Limited != 1 || in.Dropped != 0 {
		t.Errorf("interval: %+v", in)
	}
	rows := map[string]int64{}
	in.Each(func(of Row, h *Histogram) {
		rows[fmt.Sprintf("%d %s %s intended=%v max=%d", of.Unix-1_700_000_000, of.Kind, of.Outcome, of.Response, h.Max())] = h.Total()
	})
	want := map[string]int64{
		"0 READ ok intended=false max=3000319":        2,
		"0 READ ok intended=true max=3002367":         2,
		"1 UPDATE unknown intended=false max=2000895": 1,
		"1 UPDATE unknown intended=true max=2000895":  1,
		"1 READ failed intended=false max=1000":       1,
		"1 READ failed intended=true max=1000":        1,
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("rows %v, want %v", rows, want)
	}

	byIndex := binsOf(in)
	if b := byIndex[0]; b.Intended != 1 || b.OK[0] != 1 || b.FirstDoneMicros != 8000 || b.Completed != 1 ||
		b.FirstCompleteMicros != 8000 || b.LastCompleteMicros != 8000 {
		t.Errorf("first bin: %+v", b)
	}
	if b := byIndex[1]; b.Intended != 1 || b.OK[bundle.LateBucket(3_000_500)] != 1 || b.FirstDoneMicros != 3_005_500 || b.Completed != 0 {
		t.Errorf("bin of the stalled operation: %+v", b)
	}
	if b := byIndex[301]; b.Intended != 0 || b.Completed != 1 || b.FirstCompleteMicros != 5500 {
		t.Errorf("bin of its completion: %+v", b)
	}
	if b := byIndex[70]; b.Intended != 2 || b.Unknown != 1 || b.Failed != 1 || b.Limited != 1 || b.Succeeded() != 0 {
		t.Errorf("bin of what did not succeed: %+v", b)
	}
}

func TestAFailureThatTheStoreAnsweredInTimeCountsAsAnswered(t *testing.T) {
	set := NewSet(1, start, true)
	r := set.Recorder(0)
	failed := Sample{Kind: stores.Read, Outcome: stores.Failed, Answered: true, Intended: ms(2), Sent: ms(2), Done: ms(4)}
	for _, change := range []func(*Sample){
		func(*Sample) {},
		func(s *Sample) { s.Done = s.Intended + ms(100) },
		func(s *Sample) { s.Done = s.Intended + ms(100.001) }, // too late to be in time
		func(s *Sample) { s.Answered = false },                // no answer
		func(s *Sample) { s.Part = true },                     // of a read-modify-write
	} {
		s := failed
		change(&s)
		r.Intend(s.Intended, false)
		r.Finish(&s)
	}
	in := set.Collect()
	if bins := binsOf(in); len(bins) != 1 || in.Succeeded != 0 {
		t.Fatalf("%d bins, %d successes", len(bins), in.Succeeded)
	}
	if b := binsOf(in)[0]; b.Failed != 4 || b.Answered != 2 || b.FirstDoneMicros != 4000 || b.Completed != 0 {
		t.Errorf("bin %+v", b)
	}
}

func TestAnOperationThatNeverStartsStaysInItsBin(t *testing.T) {
	set := NewSet(2, start, true)
	set.Recorder(0).Intend(ms(42), true)
	set.Recorder(1).NeverStart(ms(42))
	in := set.Collect()
	if len(in.Bins) != 1 || in.Finished != 0 {
		t.Fatalf("%d bins, %d finished", len(in.Bins), in.Finished)
	}
	if b := in.Bins[0]; b.Index != 4 || b.Intended != 1 || b.NeverStarted != 1 || b.Limited != 1 {
		t.Errorf("bin %+v", b)
	}
}

func TestPartsOfAReadModifyWriteHaveLatenciesOnly(t *testing.T) {
	set := NewSet(1, start, false)
	r := set.Recorder(0)
	r.Finish(&Sample{Kind: stores.Read, Intended: ms(1), Sent: ms(1), Done: ms(2), Part: true})
	r.Finish(&Sample{Kind: stores.Update, Intended: ms(1), Sent: ms(2), Done: ms(3), Part: true})
	r.Finish(&Sample{Kind: stores.ReadModifyWrite, Intended: ms(1), Sent: ms(1), Done: ms(3)})
	in := set.Collect()
	var rows []string
	in.Each(func(of Row, h *Histogram) {
		rows = append(rows, fmt.Sprintf("%s part=%v %d", of.Kind, of.Part, h.Total()))
	})
	if want := []string{"READ part=true 1", "UPDATE part=true 1", "READ-MODIFY-WRITE part=false 1"}; in.Intended != 1 || in.Finished != 1 || in.Sent != 1 || !slices.Equal(rows, want) {
		t.Errorf("intended %d, finished %d, rows %q, want %q", in.Intended, in.Finished, rows, want)
	}
	if bins := binsOf(in); len(bins) != 1 || bins[0].OK[0] != 1 {
		t.Errorf("bins %+v", bins)
	}
}

func TestAPartIsLoggedApartAndHasNoWait(t *testing.T) {
	set := NewSet(1, start, true)
	r := set.Recorder(0)
	r.Finish(&Sample{Kind: stores.Read, Intended: ms(1), Sent: ms(2), Done: ms(3)})
	r.Finish(&Sample{Kind: stores.Update, Outcome: stores.Failed, Intended: ms(1), Sent: ms(2), Done: ms(3), Part: true})
	var hlog bytes.Buffer
	log, err := NewLog(&hlog, nil, start)
	if err == nil {
		err = log.Write(set.Collect(), start+int64(time.Second))
	}
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for line := range strings.Lines(hlog.String()) {
		if tag, _, isRow := strings.Cut(strings.TrimPrefix(line, "Tag="), ","); isRow && strings.HasPrefix(line, "Tag=") {
			tags = append(tags, tag)
		}
	}
	if want := []string{"READ", "Intended-READ", "Wait-READ", "Part-UPDATE-FAILED", "Intended-Part-UPDATE-FAILED"}; !slices.Equal(tags, want) {
		t.Errorf("tags %q, want %q", tags, want)
	}
}

func TestEachIntervalHoldsWhatIsNew(t *testing.T) {
	set := NewSet(3, start, true)
	var finished, binned, rows int64
	at := time.Duration(0)
	for interval := range 8 {
		for i := range 500 {
			at += ms(2.3)
			r := set.Recorder(i)
			r.Intend(at, false)
			r.Send(at, at+ms(0.1))
			r.Finish(&Sample{Kind: stores.Read, Intended: at, Sent: at + ms(0.1), Done: at + ms(float64(1+i*interval))})
		}
		in := set.Collect()
		if in.Finished != 500 || lags(in) != 500 || in.Sent != 500 {
			t.Errorf("interval %d: finished %d, lags %d", interval, in.Finished, lags(in))
		}
		finished += in.Finished
		for i, b := range in.Bins {
			binned += b.Succeeded()
			if i > 0 && bundle.CompareBins(in.Bins[i-1], b) >= 0 {
				t.Fatalf("bin %d of series %d after bin %d of series %d", b.Index, b.Series, in.Bins[i-1].Index, in.Bins[i-1].Series)
			}
		}
		in.Each(func(of Row, h *Histogram) {
			if !of.Response {
				rows += h.Total()
			}
		})
	}
	if finished != 4000 || binned != 4000 || rows != 4000 {
		t.Errorf("finished %d, in bins %d, in rows %d, want 4000 each", finished, binned, rows)
	}
	if in := set.Collect(); in.Finished != 0 || len(in.Bins) != 0 || lags(in) != 0 {
		t.Errorf("an empty interval: %+v", in)
	}
}

func TestTheLogIsReadByHdrHistogramsReader(t *testing.T) {
	set := NewSet(1, start, true)
	set.Recorder(0).Intend(ms(700), false)
	set.Recorder(0).Send(ms(700), ms(701))
	set.Recorder(0).Finish(&Sample{Kind: stores.ReadModifyWrite, Outcome: stores.Unknown, Intended: ms(700), Sent: ms(701), Done: ms(711)})
	var hlog, bins bytes.Buffer
	log, err := NewLog(&hlog, &bins, start)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Write(set.Collect(), start+int64(time.Second)); err != nil {
		t.Fatal(err)
	}
	reader := hdr.NewHistogramLogReader(&hlog)
	for _, want := range []struct {
		tag string
		max int64
	}{{"READ-MODIFY-WRITE-UNKNOWN", 10_000}, {"Intended-READ-MODIFY-WRITE-UNKNOWN", 11_000}, {"Wait-READ-MODIFY-WRITE-UNKNOWN", 1_000}, {bundle.LagTag, 1_000}} {
		h, err := reader.NextIntervalHistogram()
		if err != nil || h == nil {
			t.Fatalf("no row for %s: %v", want.tag, err)
		}
		if h.Tag() != want.tag || h.StartTimeMs() != 1_700_000_000_400 || h.TotalCount() != 1 ||
			h.Max() < want.max || h.Max() > want.max+want.max/500 {
			t.Errorf("row %s from %d with %d values up to %d", h.Tag(), h.StartTimeMs(), h.TotalCount(), h.Max())
		}
	}
	got := 0
	from, err := bundle.ReadBins(&bins, func(*bundle.Bin) error { got++; return nil })
	if err != nil || from != start || got != 2 { // the bin as a whole, and its only series
		t.Errorf("bins: %d rows from %d, %v", got, from, err)
	}
}

// An outage of one kind of operation, or of one shard, must not hide among the others.
func TestEndsAreCountedByKindAndShard(t *testing.T) {
	set := NewSet(2, start, true)
	for i, s := range []Sample{
		{Kind: stores.Read, Shard: 1},
		{Kind: stores.Read, Shard: 2, Outcome: stores.Unknown},
		{Kind: stores.Read, Shard: 2},
		{Kind: stores.Update, Shard: 2},
		{Kind: stores.Scan},
	} {
		s.Intended, s.Sent, s.Done = ms(3), ms(3), ms(float64(4+i))
		set.Recorder(i).Intend(s.Intended, false)
		set.Recorder(i).Finish(&s)
	}
	got := map[string]string{}
	for _, b := range set.Collect().Bins {
		if b.Series == 0 {
			got["whole"] = fmt.Sprint(b.Intended, b.Completed, b.Ended())
			continue
		}
		got[fmt.Sprintf("%s %d", b.Series.Kind(), b.Series.Shard())] = fmt.Sprint(b.Succeeded(), b.Unknown, b.FirstDoneMicros)
	}
	want := map[string]string{"whole": "5 4 0", "READ 1": "1 0 4000", "READ 2": "1 1 6000", "UPDATE 2": "1 0 7000", "SCAN 0": "1 0 8000"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("bins %v, want %v", got, want)
	}
}

// binsOf adds up the series of each bin.
func binsOf(in *Interval) map[int64]bundle.Bin {
	all := map[int64]bundle.Bin{}
	for _, b := range in.Bins {
		sum, there := all[b.Index]
		if !there {
			sum = bundle.NewBin(b.Index)
		}
		sum.Add(&b)
		all[b.Index] = sum
	}
	return all
}

func TestRecordingDoesNotAllocate(t *testing.T) {
	set := NewSet(1, start, true)
	r := set.Recorder(0)
	sample := Sample{Kind: stores.Read, Intended: ms(1), Sent: ms(1), Done: ms(2)}
	r.Finish(&sample)
	if n := testing.AllocsPerRun(1000, func() { r.Finish(&sample); r.Intend(ms(1), false); r.Send(ms(1), ms(1)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFinish(b *testing.B) {
	r := NewSet(1, start, false).Recorder(0)
	sample := Sample{Kind: stores.Read, Intended: ms(1), Sent: ms(1), Done: ms(2)}
	b.ReportAllocs()
	for b.Loop() {
		r.Finish(&sample)
	}
}

func lags(in *Interval) (total int64) {
	in.EachLag(func(_ int64, h *Histogram) { total += h.Total() })
	return total
}

// A thread is held up while it holds the first recorder: the others are collected meanwhile.
func TestNobodyWaitsForOneRecorderBeforeTheOthers(t *testing.T) {
	set := NewSet(3, 0, false)
	for _, r := range set.recorders {
		r.Finish(&Sample{Done: time.Millisecond})
	}
	set.recorders[0].mu.Lock()
	collected := make(chan int64)
	go func() { collected <- set.Collect().Finished }()
	last, deadline := set.recorders[2], time.Now().Add(10*time.Second)
	swapped := func() bool {
		last.mu.Lock()
		defer last.mu.Unlock()
		return last.now.finished == 0
	}
	for !swapped() {
		if time.Now().After(deadline) {
			t.Fatal("the last recorder waits for the first")
		}
		time.Sleep(time.Millisecond)
	}
	set.recorders[0].mu.Unlock()
	if n := <-collected; n != 3 {
		t.Errorf("%d operations of 3", n)
	}
}
