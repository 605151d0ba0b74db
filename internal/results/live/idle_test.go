package live

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// selfLines are what a worker says of itself at the end of so many seconds of its workload, and then of its clock.
func selfLines(t *testing.T, seconds int64) (text []byte) {
	t.Helper()
	for _, line := range []bundle.SelfLine{
		{AtUnixNanos: start.Add(time.Duration(seconds-1) * time.Second).UnixNano(), Second: &bundle.SelfSecond{LengthMicros: 1_000_000}},
		{AtUnixNanos: start.Add(time.Duration(seconds) * time.Second).UnixNano(), Second: &bundle.SelfSecond{LengthMicros: 1_000_000}},
		{AtUnixNanos: start.Add(time.Duration(seconds+60) * time.Second).UnixNano(), Clock: &bundle.Clock{}},
	} {
		of, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, of...), '\n')
	}
	return text
}

// A worker whose operations all hang, or which has none to do, writes no rows.
func TestAnIdleWorkerDoesNotHoldBackTheOthers(t *testing.T) {
	log := func(last int64) (text []byte) {
		for second := int64(0); second <= last; second++ {
			text = append(text, logRow(t, "READ", start.Unix()+second, 7)...)
		}
		return text
	}
	for _, c := range []struct {
		what       string
		bins, logs [2][]byte
		self       []byte // of the first one
		elapsed    int64
		throughput int64
		endedAge   int64 // at 30 s; 0 is not known
	}{
		{"one is idle", [2][]byte{rows(0, 3), rows(0, 20)}, [2][]byte{log(3), log(20)}, selfLines(t, 20), 14 - 5, 1000, 15_000},
		{"one has never done anything", [2][]byte{nil, rows(0, 20)}, [2][]byte{nil, log(20)}, selfLines(t, 20), 14 - 5, 1000, 15_000},
		{"one is silent", [2][]byte{rows(0, 3), rows(0, 20)}, [2][]byte{log(3), log(20)}, nil, 2 - 5, 2000, 27_000},
		{"one has sent no row for some seconds", [2][]byte{rows(0, 17), rows(0, 20)}, [2][]byte{log(17), log(20)}, selfLines(t, 20), 16 - 5, 2000, 13_000},
		{"one tells nonsense", [2][]byte{rows(0, 3), rows(0, 20)}, [2][]byte{log(3), log(20)}, []byte("\"second\"\n{\"second\":{}}\n{\"atUnixNanos\":-1,\"second\":{}}\n"), 2 - 5, 2000, 27_000},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := folder{worker(0, bundle.Jsonl): c.self}
			for i := range 2 {
				f[worker(i, bundle.Bins)], f[worker(i, bundle.Hlog)] = append(bundle.AppendBinsHeader(nil, 1), c.bins[i]...), c.logs[i]
			}
			told := f.at(t, begun(), 30_000)
			age := int64(0)
			if told.Ended != nil {
				age = told.Ended.AgeMillis
			}
			if told.ElapsedSeconds != c.elapsed || told.Throughput != c.throughput || age != c.endedAge {
				t.Errorf("got %+v, and what ended is %d ms old", told, age)
			}
		})
	}
}
