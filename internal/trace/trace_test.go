package trace

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/stores"
)

var _ pace.Law = (*Law)(nil)

var whole = Share{Workers: 1, Stretch: 1}

func TestATraceIsRead(t *testing.T) {
	text := "\ufefftime,operation,key,size\n# from 9 o'clock on\n1700000000.000000001,READ,user1,\n\n1700000000.5,UPDATE,a,b,100\r\n1700000002,SCAN,k,7\n1700000002,READ,k,900\n"
	trace, err := Read("day.csv", strings.NewReader(text), whole)
	if err != nil {
		t.Fatal(err)
	}
	law := trace.Law()
	for i, want := range []Request{
		{0, stores.Read, []byte("user1"), 0},
		{499_999_999, stores.Update, []byte("a,b"), 100},
		{1_999_999_999, stores.Scan, []byte("k"), 7},
		{1_999_999_999, stores.Read, []byte("k"), 900},
	} {
		got := trace.Request(i)
		if got.At != want.At || got.Kind != want.Kind || !bytes.Equal(got.Key, want.Key) || got.Size != want.Size {
			t.Errorf("request %d: %v %s %q %d", i, got.At, got.Kind, got.Key, got.Size)
		}
		if at := law.Next(); at != want.At {
			t.Errorf("request %d is due at %v", i, at)
		}
	}
	if got, want := trace.Summary(), (Summary{Rows: 4, Measured: 4, Busiest: 2, Largest: 100, Scans: 1, Last: 1_999_999_999, LastUsed: 1_999_999_999}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if trace.Len() != 4 || law.Next() != rate.Never {
		t.Errorf("%d requests, and more", trace.Len())
	}
}

// rows is a trace that is made while it is read.
type rows struct {
	total, next int
	rest        []byte
}

func (r *rows) Read(p []byte) (int, error) {
	for len(r.rest) < 4<<10 && r.next < r.total {
		r.rest = fmt.Appendf(r.rest, "%d.%03d,UPDATE,user%016d,100\n", r.next/1000, r.next%1000, r.next)
		r.next++
	}
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = append(r.rest[:0], r.rest[n:]...)
	return n, nil
}

func TestWorkersTogetherReplayAllOfIt(t *testing.T) {
	const total, workers = 100_003, 3 // several chunks and blocks
	seen := 0
	for worker := range workers {
		trace, err := Read("x", &rows{total: total}, Share{Worker: worker, Workers: workers, Stretch: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := trace.Summary(), (Summary{Rows: total, Measured: total, Busiest: 2000, Largest: 100, Last: 50_001 * time.Millisecond, LastUsed: 50_001 * time.Millisecond}); got != want {
			t.Errorf("worker %d: %+v, want %+v", worker, got, want)
		}
		for i := range trace.Len() {
			number := worker + i*workers
			r := trace.Request(i)
			if r.At != time.Duration(number)*time.Millisecond/2 || string(r.Key) != fmt.Sprintf("user%016d", number) {
				t.Fatalf("worker %d, request %d: %+v", worker, i, r)
			}
			seen++
		}
	}
	if seen != total {
		t.Errorf("%d requests of %d", seen, total)
	}
}

// Whatever begins to be measured where, the workers' parts of the first so many requests are
// what these are, and add up.
func TestWorkersShareWhatIsMeasured(t *testing.T) {
	const total = 10 // one each millisecond
	for workers := 1; workers <= 4; workers++ {
		for warmup := range total + 2 {
			for _, most := range []int64{0, 1, 5, total} {
				last := min(int64(warmup)+most, total)
				var sum int64
				for worker := range workers {
					trace, err := Read("x", &rows{total: total}, Share{
						Worker: worker, Workers: workers, Stretch: 1, Warmup: time.Duration(warmup) * time.Millisecond,
					})
					if err != nil {
						t.Fatal(err)
					}
					var want int64
					for i := range trace.Len() {
						if number := trace.Request(i).At.Milliseconds(); number >= int64(warmup) && number < last {
							want++
						}
					}
					if got := trace.Operations(most); got != want {
						t.Errorf("worker %d of %d has %d of %d requests after the first %d, want %d", worker, workers, got, most, warmup, want)
					}
					sum += want
				}
				if want := max(0, last-int64(warmup)); sum != want {
					t.Errorf("%d workers have %d of %d requests after the first %d", workers, sum, want, warmup)
				}
			}
		}
	}
}

func TestASummaryIsThatOfTheTrace(t *testing.T) {
	share := Share{Workers: 3, Worker: 1, Stretch: 0.5, Warmup: 10 * time.Millisecond}
	trace, err := Read("x", &rows{total: 1000}, share)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := Summarize("x", &rows{total: 1000}, share)
	if err != nil || summary != trace.Summary() || summary.Measured != 980 {
		t.Errorf("%+v (%v), and the trace's is %+v", summary, err, trace.Summary())
	}
	if _, err := Summarize("x", strings.NewReader("1,GET,a,\n"), share); err == nil || !strings.HasPrefix(err.Error(), "x:1: no operation") {
		t.Errorf("a broken line gives %v", err)
	}
}

func TestARowTakesFewBytes(t *testing.T) {
	const total = 500_000
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	trace, err := Read("x", &rows{total: total}, whole)
	if err != nil {
		t.Fatal(err)
	}
	if bytes := float64(heap()-before) / total; bytes > 24+20+2 { // of its key 20
		t.Errorf("a row takes %.1f bytes", bytes)
	}
	runtime.KeepAlive(trace)
}

func TestABrokenTraceIsRefusedWithItsLine(t *testing.T) {
	for _, c := range []struct {
		text, says string
		share      Share
	}{
		{"", "x.csv: no line of", whole},
		{"time,operation,key,size\n", "x.csv: no line of", whole},
		{"1,READ,a,\n0.999,READ,a,\n", "x.csv:2: the time 0.999 is before", whole},
		{"1,READ,a\n", `x.csv:1: "1,READ,a" is not of the form`, whole},
		{"1,READ,a,\n2,READ,\xff,\n", "x.csv:2: no UTF-8", whole},
		{"#\n1,GET,a,\n", `x.csv:2: no operation "GET"`, whole},
		{"-1,READ,a,\n", `"-1" is no time`, whole},
		{"1e3,READ,a,\n", `"1e3" is no time`, whole},
		{"1.,READ,a,\n", `"1." is no time`, whole},
		{",READ,a,\n", `"" is no time`, whole},
		{"12345678901,READ,a,\n", `is no time in seconds of up to ten digits`, whole},
		{"9999999999.999999999,READ,a,\n", "is no time in seconds", whole},
		{"1.0000000001,READ,a,\n", "nine decimals", whole},
		{"1,READ,,\n", "a key of 0 bytes", whole},
		{"1,READ," + strings.Repeat("k", maxKey+1) + ",\n", "a key of 2049 bytes", whole},
		{"1,UPDATE,a,\n", `x.csv:1: "" is no size`, whole},
		{"1,UPDATE,a,-1\n", `"-1" is no size`, whole},
		{"1,UPDATE,a,52428801\n", "is no size from 0 to 52428800", whole},
		{"1,SCAN,a,0\n", "is no size from 1 to 100000", whole},
		{"1,SCAN,a,100001\n", "is no size from 1 to 100000", whole},
		{strings.Repeat("1", maxLine+1), "x.csv:1: longer than", whole},
		{"0,READ,a,\n86401,READ,a,\n", "x.csv:2: due 86401 s after", whole},
		{"0,READ,a,\n", "stretched by 0", Share{Workers: 1}},
		{"0,READ,a,\n43201,READ,a,\n", "x.csv:2: due 86402 s after", Share{Workers: 1, Stretch: 2}},
	} {
		if _, err := Read("x.csv", strings.NewReader(c.text), c.share); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.60q: %v, want %q", c.text, err, c.says)
		}
	}
}

// What is read has times that don't fall, keys that were in the text, and bounds.
func FuzzRead(f *testing.F) {
	f.Add([]byte("time,operation,key,size\n1.5,READ,user1,\n2,UPDATE,a,b,100\n"), 1.0)
	f.Add([]byte("1700000000.123456789,SCAN,k,7\r\n1700000001,DELETE,k,"), 0.5)
	f.Fuzz(func(t *testing.T, text []byte, stretch float64) {
		trace, err := Read("x", bytes.NewReader(text), Share{Workers: 2, Worker: 1, Stretch: stretch})
		if err != nil {
			return
		}
		last := time.Duration(0)
		for i := range trace.Len() {
			r := trace.Request(i)
			if r.At < last || r.At > maxTime || !bytes.Contains(text, r.Key) || r.Size < 0 || r.Size > maxSize || r.Kind >= stores.NumKinds {
				t.Errorf("request %d: %+v", i, r)
			}
			last = r.At
		}
	})
}

func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	if _, err := Read("x", &rows{total: b.N}, whole); err != nil {
		b.Fatal(err)
	}
}
