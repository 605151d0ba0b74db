package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
)

func TestGrantsAddUpAndTheLastAreSmall(t *testing.T) {
	for _, c := range []struct {
		operations int64
		sessions   int
		first      int64 // the size of the first grant
	}{
		{1, 1, 1}, {1, 16, 1}, {100, 1, 26}, {100, 16, 2}, {1_000_000, 16, largestGrant}, {1 << 40, 1, largestGrant},
	} {
		l := &closedLoop{schedule: schedule{operations: c.operations}, sessions: make([]*session, c.sessions)}
		first := l.grant()
		if first != c.first {
			t.Errorf("%+v: the first grant is %d", c, first)
		}
		if c.operations > 1<<30 {
			continue
		}
		sum, last := first, first
		for n := l.grant(); n > 0; n = l.grant() {
			if n > last {
				t.Fatalf("%+v: %d after %d", c, n, last)
			}
			sum, last = sum+n, n
		}
		if sum != c.operations || last != 1 {
			t.Errorf("%+v: granted %d, %d at the end", c, sum, last)
		}
	}
}

func TestAllSessionsTogetherMakeTheOperations(t *testing.T) {
	const operations, threads = 100_003, 16
	begin := time.Now()
	stage := &stage{begin: begin, set: record.NewSet(threads, begin.UnixNano(), false), errors: newErrorCounts(), timeout: time.Second}
	loop := &closedLoop{schedule: schedule{end: forever, operations: operations}}
	keyspace := testKeyspace(t)
	for number := range threads {
		loop.sessions = append(loop.sessions, &session{stage: stage, thread: keyspace.NewThread(number), store: nothing{}, slot: number})
	}
	if _, err := loop.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if in := stage.set.Collect(); in.Finished != operations || in.Succeeded != operations || in.Intended != operations {
		t.Errorf("%d intended, %d ended, %d succeeded, want %d", in.Intended, in.Finished, in.Succeeded, operations)
	}
}
