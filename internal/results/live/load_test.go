package live

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/stores"
)

// rows are bins rows of so many whole seconds, 10 operations in each bin, and one bin of
// the second that follows.
func rows(from, seconds int64) []byte {
	var file []byte
	for index := from * binsPerSecond; index <= (from+seconds)*binsPerSecond; index++ {
		bin := bundle.NewBin(index)
		bin.Intended, bin.Completed, bin.FirstCompleteMicros, bin.LastCompleteMicros = 11, 10, 1, 2
		reads := bundle.NewSeriesBin(index, bundle.SeriesOf(stores.Read, 1))
		if index%binsPerSecond == 0 {
			reads.Failed = 1
		}
		file = bundle.AppendBins(file, []bundle.Bin{bin, reads})
	}
	return file
}

// nothing are rows of seconds in which operations were intended, and all of them failed.
func nothing(from, seconds int64) []byte {
	var file []byte
	for index := from * binsPerSecond; index <= (from+seconds)*binsPerSecond; index++ {
		bin := bundle.NewBin(index)
		bin.Intended = 11
		reads := bundle.NewSeriesBin(index, bundle.SeriesOf(stores.Read, 1))
		reads.Failed = 11
		file = bundle.AppendBins(file, []bundle.Bin{bin, reads})
	}
	return file
}

// thousands are so many seconds of two workers.
func thousands(seconds int) []int64 { return slices.Repeat([]int64{2000}, seconds) }

func TestTheLoadIsTheNewestSecondOfAllWorkers(t *testing.T) {
	header := bundle.AppendBinsHeader(nil, 1)
	figures := func(elapsed, age int64, recent []int64) wire.Live {
		return wire.Live{Workload: "a", ElapsedSeconds: elapsed, AgeMillis: age, Intended: 2200, Throughput: 2000, Recent: recent, RecentErrors: 2 * int64(len(recent))}
	}
	for _, c := range []struct {
		what   string
		files  [][]byte // of the workers
		millis int64    // since the start
		want   wire.Live
	}{
		{"both have sent ten seconds", [][]byte{rows(0, 10), rows(0, 10)}, 10_900, figures(4, 900, thousands(10))},
		{"in the warm-up", [][]byte{rows(0, 2), rows(0, 2)}, 3_000, figures(-4, 1000, thousands(2))},
		{"one is behind", [][]byte{rows(0, 10), rows(0, 3)}, 10_900, figures(-3, 7900, thousands(3))},
		{"both have stopped sending", [][]byte{rows(0, 10), rows(0, 10)}, 70_000, figures(4, 60_000, thousands(10))},
		{"a worker's clock is ahead", [][]byte{rows(0, 10), rows(0, 10)}, 9_990, figures(4, 0, thousands(10))},
		{"a row is cut off", [][]byte{rows(0, 10), append(rows(0, 10), "1200,1"...)}, 10_000, figures(4, 0, thousands(10))},
		{"no rows but nonsense", [][]byte{rows(0, 10), bytes.Repeat([]byte("nonsense\n"), 100)}, 2_900, wire.Live{Workload: "a", ElapsedSeconds: -3}},
		{"one has sent nothing", [][]byte{rows(0, 10)}, 2_900, wire.Live{Workload: "a", ElapsedSeconds: -3}},
		{"the start is a moment ahead", nil, -100, wire.Live{Workload: "a", ElapsedSeconds: -6}},
		{"long files", [][]byte{rows(0, 600), rows(0, 600)}, 601_000, figures(594, 1000, thousands(60))},
		// Of the second that the one stands at nothing is kept of the other, so that their sum would be too small.
		{"one has stopped long ago", [][]byte{rows(0, 600), rows(0, 3)}, 601_000, wire.Live{Workload: "a", ElapsedSeconds: 596}},
		// The one bin that follows a whole second has 10 operations of each worker.
		{"no rows for a while", [][]byte{append(rows(0, 3), rows(6, 2)...), append(rows(0, 3), rows(6, 2)...)}, 8_000,
			wire.Live{Workload: "a", ElapsedSeconds: 2, Intended: 2200, Throughput: 2000, Recent: []int64{2000, 2000, 2000, 20, 0, 0, 2000, 2000}, RecentErrors: 12}},
		{"an outage", [][]byte{append(rows(0, 3), nothing(4, 2)...), append(rows(0, 3), nothing(4, 2)...)}, 6_500,
			wire.Live{Workload: "a", ElapsedSeconds: 0, AgeMillis: 500, Intended: 2200, Recent: []int64{2000, 2000, 2000, 20, 0, 0}, RecentErrors: 4408}},
		{"nothing has ever succeeded", [][]byte{nothing(0, 2), nothing(0, 2)}, 2_000,
			wire.Live{Workload: "a", ElapsedSeconds: -4, Intended: 2200, Recent: []int64{0, 0}, RecentErrors: 4400}},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := folder{}
			for i, file := range c.files {
				f[worker(i, bundle.Bins)] = append(bytes.Clone(header), file...)
			}
			if told := f.at(t, begun(), c.millis); !reflect.DeepEqual(told, c.want) {
				t.Errorf("got %+v, want %+v", told, c.want)
			}
		})
	}
}

// What is told of seconds whose rows lie before the part of a file that is read would be too little.
func TestOfALongFileOnlyTheSecondsThatAreReadWhollyAreTold(t *testing.T) {
	file := rows(0, 5)
	cut := bytes.Index(file, []byte("\n250,")) + 1 // in the middle of the third second
	for _, c := range []struct {
		what string
		tail Tail
		want []int64
	}{
		{"a whole file", Tail{Text: file}, []int64{1000, 1000, 1000, 1000, 1000}},
		{"a tail", Tail{Text: file[cut:], Cut: true}, []int64{1000, 1000}},
		{"a tail that begins with how an operation of long ago ended", Tail{Text: append([]byte("7,0,0,0,0,-1,-1,R1:1\n"), file[cut:]...), Cut: true}, []int64{1000, 1000}},
	} {
		t.Run(c.what, func(t *testing.T) {
			if _, told := addUp([]workerSeconds{{all: secondsOf(c.tail)}}, 1); !slices.Equal(told.Recent, c.want) {
				t.Errorf("%v, want %v", told.Recent, c.want)
			}
		})
	}
}

// Workers end at different times where each has its number of operations.
func TestAWorkerThatHasEndedDoesNotHoldBackTheOthers(t *testing.T) {
	for _, c := range []struct {
		what       string
		of, ended  [2][]byte // of both workers
		elapsed    int64
		throughput int64
		recent     []int64
	}{
		{what: "one has ended, and one goes on", ended: [2][]byte{rows(0, 3)}, of: [2][]byte{1: rows(0, 10)}, elapsed: 4, throughput: 1000,
			recent: []int64{2000, 2000, 2000, 1010, 1000, 1000, 1000, 1000, 1000, 1000}},
		{what: "long ago", ended: [2][]byte{rows(0, 3)}, of: [2][]byte{1: rows(0, 600)}, elapsed: 594, throughput: 1000, recent: slices.Repeat([]int64{1000}, 60)},
		{what: "one that has ended was never at work", ended: [2][]byte{{}}, of: [2][]byte{1: rows(0, 2)}, elapsed: -4, throughput: 1000, recent: []int64{1000, 1000}},
		{what: "both have ended", ended: [2][]byte{rows(0, 3), rows(0, 5)}, elapsed: -1, throughput: 1000, recent: []int64{2000, 2000, 2000, 1010, 1000}},
		{what: "the one that goes on is behind", ended: [2][]byte{rows(0, 5)}, of: [2][]byte{1: rows(0, 3)}, elapsed: -3, throughput: 2000, recent: thousands(3)},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := folder{}
			for i := range 2 {
				name := worker(i, bundle.Bins)
				f[name] = append(bundle.AppendBinsHeader(nil, 1), c.of[i]...)
				if c.ended[i] != nil {
					f[name], f[bundle.EndFile(name)] = append(f[name], c.ended[i]...), []byte("{}")
				}
			}
			told := f.at(t, begun(), 600_000)
			if told.ElapsedSeconds != c.elapsed || told.Throughput != c.throughput || !slices.Equal(told.Recent, c.recent) {
				t.Errorf("got %+v", told)
			}
		})
	}
}

func TestNoMoreIsReadThanTheSecondsThatAreToldNeed(t *testing.T) {
	wide := func(seconds int64) (file []byte) { // more than 8 KB a second
		for line := range bytes.Lines(rows(0, seconds)) {
			file = append(file, line...)
			file = append(file, bytes.Repeat([]byte("#"), 60)...)
			file = append(file, '\n')
		}
		return file
	}
	for _, c := range []struct {
		what string
		file []byte
		want []int64
	}{
		{"a short file", rows(0, 20), []int64{firstBins}},
		{"a long file", rows(0, 600), []int64{firstBins}},
		{"a file with more in each second", wide(600), []int64{firstBins, 2 * firstBins}},
		{"a file of one second", bytes.Repeat([]byte("5,1\n"), mostBins), []int64{firstBins, 2 * firstBins, mostBins}},
	} {
		var asked []int64
		_, err := readSeconds("", mostBins, func(_ string, most int64) (Tail, error) {
			asked = append(asked, most)
			return tailOf(c.file, most), nil
		})
		if err != nil || !slices.Equal(asked, c.want) {
			t.Errorf("%s of %d bytes: read %d, want %d, %v", c.what, len(c.file), asked, c.want, err)
		}
	}
}

// Of a worker that writes such a second nothing else is kept, so that the sum of all is not known.
func TestWithASecondOfTheFarFutureNothingIsKnown(t *testing.T) {
	hostile := secondsOf(Tail{Text: append(rows(0, 3), rows(bundle.MaxBinIndex/binsPerSecond-1, 1)...)})
	newest, told := addUp([]workerSeconds{{all: secondsOf(Tail{Text: rows(0, 3)})}, {all: hostile}}, 2)
	if newest != -1 || told.Recent != nil {
		t.Errorf("second %d: %+v", newest, told)
	}
}

func BenchmarkAMinuteOfAWorkersBins(b *testing.B) {
	var file []byte
	for index := range int64(60 * binsPerSecond) {
		bins := []bundle.Bin{bundle.NewBin(index)}
		bins[0].Intended, bins[0].Completed, bins[0].FirstCompleteMicros, bins[0].LastCompleteMicros = 200, 200, 12, 9876
		for _, kind := range []stores.Kind{stores.Read, stores.Update} {
			series := bundle.NewSeriesBin(index, bundle.SeriesOf(kind, 0))
			series.OK[0], series.FirstDoneMicros = 100, 1234
			bins = append(bins, series)
		}
		file = bundle.AppendBins(file, bins)
	}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if all := secondsOf(Tail{Text: file}); len(all) != 60 {
			b.Fatal(len(all))
		}
	}
}

// The tails are of files that anyone may have written.
func FuzzTail(f *testing.F) {
	f.Add(rows(0, 1), false)
	f.Add([]byte("1,1\n\n,,,,,,,,,\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, cut bool) {
		newest, told := addUp([]workerSeconds{{all: secondsOf(Tail{Text: text, Cut: cut}), cut: cut}}, 1)
		if newest < -1 || told.Throughput < 0 || told.RecentErrors < 0 || len(told.Recent) > wire.RecentSeconds {
			t.Errorf("second %d: %+v", newest, told)
		}
	})
}
