package loadgen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
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
