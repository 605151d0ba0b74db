package loadgen

import (
	"context"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
)

// longestWait bounds one wait of the pacer, so that it hears of the end in time.
const longestWait = 50 * time.Millisecond

// openLoop intends operations at the law's times and hands them to the pool.
type openLoop struct {
	*stage
	law      pace.Law
	schedule schedule
	pool     *pool
}

func (l *openLoop) peak() int { return l.pool.look() }

// run returns when what was intended has ended or, at the schedule's end, still waits.
func (l *openLoop) run(ctx context.Context) (neverStarted int64, err error) {
	l.pace(ctx, l.set.Recorder(pacerSlot))
	neverStarted = l.pool.drain()
	return neverStarted, l.end()
}

// end waits for the operations that are under way.
func (l *openLoop) end() error {
	ended := make(chan struct{})
	go func() {
		l.pool.ended.Wait()
		close(ended)
	}()
	// A read-modify-write has a deadline for each of its parts.
	longest := 2*l.timeout + drainGrace
	select {
	case <-ended:
		return nil
	case <-time.After(longest):
		return fmt.Errorf("operations did not end %v after their deadline: the driver ignores it", drainGrace)
	}
}

// pace returns when the schedule ends, or ctx does.
func (l *openLoop) pace(ctx context.Context, recorder *record.Recorder) {
	waiter := pace.NewWaiter()
	defer waiter.Close()
	var measured int64
	for at := l.law.Next(); at < l.schedule.end; at = l.law.Next() {
		for early := at - l.now(); early > 0; early = at - l.now() {
			waiter.Sleep(min(early, longestWait))
			if ctx.Err() != nil {
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		limited := l.pool.submit(at)
		recorder.Intend(at, limited)
		if limited {
			// A pacer that was held up fills the slots by itself: what it lost until here is
			// no delay of the store.
			recorder.Queue(at, l.now())
		}
		if at >= l.schedule.warmup {
			if measured++; measured == l.schedule.operations {
				return
			}
		}
	}
	// The last operation may be well before the end.
	for early := l.schedule.end - l.now(); early > 0 && ctx.Err() == nil; early = l.schedule.end - l.now() {
		waiter.Sleep(min(early, longestWait))
	}
}
