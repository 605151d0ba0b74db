package loadgen

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/internal/trace"
)

// listening is a store that takes its time, and writes down what it is asked for and when.
type listening struct {
	stores.Driver
	begin time.Time
	takes time.Duration
	heard []string
}

func (l *listening) NewSession() (stores.Session, error) { return l, nil }
func (l *listening) Close() error                        { return nil }
func (l *listening) Do(op *stores.Op) error {
	size := op.Count
	for _, field := range op.Values {
		size += len(field.Value)
	}
	l.heard = append(l.heard, fmt.Sprintf("%v,%s,%s,%d", time.Since(l.begin), op.Kind, op.Key, size))
	time.Sleep(l.takes)
	return nil
}

func readTrace(t *testing.T, text string) *trace.Trace {
	t.Helper()
	read, err := trace.Read("trace", strings.NewReader(text), trace.Share{Workers: 1, Stretch: 1})
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestATraceIsReplayedWithItsTimesAndRequests(t *testing.T) {
	read := readTrace(t, "100,READ,a,\n100,UPDATE,b,7\n100.001,SCAN,c,30\n100.002,READ-MODIFY-WRITE,d,9\n"+
		"100.002,INSERT,e,100\n100.003,DELETE,f,\n100.05,UPDATE,b,0\n")
	requests := []string{"READ,a,0", "UPDATE,b,7", "SCAN,c,30", "READ,d,0", "UPDATE,d,9", "INSERT,e,100", "DELETE,f,0", "UPDATE,b,0"}
	for _, c := range []struct {
		name  string
		takes time.Duration
		sent  []time.Duration // ms
	}{
		{"a store that takes no time", 0, []time.Duration{0, 0, 1, 2, 2, 2, 3, 50}},
		{"most wait for the only slot", 3, []time.Duration{0, 3, 6, 9, 12, 15, 18, 50}},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now().Add(time.Second)
			store := &listening{begin: begin, takes: c.takes * time.Millisecond}
			loop := newTestLoop(t, begin, store, 1, nil, schedule{end: forever, operations: int64(read.Len())})
			loop.waiter = func() waiter { return virtualWaiter{} }
			loop.trace, loop.law, loop.fit = read, read.Law(), nil
			ran, err := loop.run(t.Context())
			if err != nil || ran.neverStarted > 0 || ran.lastIntended != 50*time.Millisecond || ran.arrivals != nil {
				t.Errorf("%s: %+v, %v", c.name, ran, err)
			}
			var want []string
			for i, request := range requests {
				want = append(want, fmt.Sprintf("%v,%s", c.sent[i]*time.Millisecond, request))
			}
			if !slices.Equal(store.heard, want) {
				t.Errorf("%s: the store heard\n%q, want\n%q", c.name, store.heard, want)
			}
		})
	}
}

// Three workers make each request once, at its own time, and as many as are asked for after
// the warm-up, wherever that ends among their turns.
func TestWorkersReplayATraceTogether(t *testing.T) {
	const rows, gap, warmup = 100, 5, 4 // of 100 requests, 5 ms apart, four are due in 20 ms
	var text strings.Builder
	for row := range rows {
		fmt.Fprintf(&text, "%.3f,READ,user%d,\n", float64(row*gap)/1000, row)
	}
	for name, c := range map[string]struct {
		operations, duration int64
		want                 int64 // requests of all workers
	}{
		"to its end":                   {rows - warmup, 0, rows},
		"the first of it":              {25, 0, warmup + 25},
		"fewer than there are workers": {1, 0, warmup + 1},
		"for a while":                  {0, 100, warmup + 20},
		"beyond its end":               {0, 600, rows},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var (
				jobs    [3]*Job
				servers [3]*results
				errs    [3]error
				ended   sync.WaitGroup
			)
			for worker := range jobs {
				j, server, _ := job(t, scripted.Script{}, nil, plan.Load{
					Rate: 200, Arrivals: plan.ArrivalsTrace, MaxInFlight: 600, Workers: len(jobs), WarmupMillis: warmup * gap,
				})
				j.Index, j.Workload.Operations, j.Workload.DurationMillis = worker, c.operations, c.duration
				read, err := trace.Read("trace", strings.NewReader(text.String()), trace.Share{
					Worker: worker, Workers: len(jobs), Stretch: 1, Warmup: warmup * gap * time.Millisecond,
				})
				if err != nil {
					t.Fatal(err)
				}
				j.Trace, jobs[worker], servers[worker] = read, j, server
				ended.Go(func() { errs[worker] = j.Measure(t.Context()) })
			}
			ended.Wait()
			var intended int64
			bins := map[int64]int64{} // how many were intended in each 10 ms
			for worker, j := range jobs {
				if errs[worker] != nil {
					t.Fatal(errs[worker])
				}
				files := servers[worker].read(t, j.writer(bundle.RoleWorker))
				reconcile(t, files)
				intended += files.sum.Intended
				for _, bin := range files.bins {
					bins[bin.Index] += bin.Intended
				}
			}
			if intended != c.want {
				t.Errorf("%d requests were intended, want %d", intended, c.want)
			}
			for row := range c.want {
				if due := row * gap / bundle.BinMillis; bins[due] != min(bundle.BinMillis/gap, c.want-due*(bundle.BinMillis/gap)) {
					t.Errorf("%d requests were intended in bin %d, where row %d is due", bins[due], due, row)
				}
			}
		})
	}
}

func TestAReplayedRequestCostsNoAllocation(t *testing.T) {
	var text strings.Builder
	for kind := range stores.NumKinds {
		fmt.Fprintf(&text, "0,%s,user%d,100\n", kind, kind)
	}
	begin := time.Now()
	stage := &stage{
		begin: begin, set: record.NewSet(1, begin.UnixNano(), true), errors: newErrorCounts(), timeout: time.Second,
		trace: readTrace(t, text.String()),
	}
	s := testSession(t, stage, nothing{})
	allocations := testing.AllocsPerRun(1000, func() {
		for row := range uint32(stores.NumKinds) {
			s.open(due{row: row})
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations for a request of each kind", allocations)
	}
}
