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
	waiter   func() waiter
	law      pace.Law
	schedule schedule
	pool     *pool
	fit      *pace.Fit // nil for a trace, whose times follow no law
}

func (l *openLoop) peak() int { return l.pool.look() }

// run returns when what was intended has ended. What still waits for a slot at the end of
// the schedule never starts; a number of operations is made in full.
func (l *openLoop) run(ctx context.Context) (ran, error) {
	r := l.pace(ctx, l.set.Recorder(pacerSlot))
	if l.schedule.operations == 0 || l.now() >= l.schedule.end {
		r.neverStarted += l.drop()
	}
	dropped, err := l.end(ctx)
	r.neverStarted += dropped
	if l.fit != nil {
		r.arrivals = l.fit.Counts()
	}
	return r, err
}

// drop gives up what waits for a slot.
func (l *openLoop) drop() (neverStarted int64) {
	recorder := l.set.Recorder(pacerSlot)
	return l.pool.drop(recorder.NeverStart)
}

// end waits until nothing waits for a slot and nothing is under way. Operations that wait
// are given up when ctx ends.
func (l *openLoop) end(ctx context.Context) (neverStarted int64, err error) {
	waiting, done := l.pool.close()
	ended := make(chan struct{})
	go func() {
		l.pool.ended.Wait()
		close(ended)
	}()
	// A read-modify-write has a deadline for each of its parts.
	longest := 2*l.timeout + drainGrace
	for over := ctx.Done(); ; {
		select {
		case <-ended:
			return neverStarted, nil
		case <-over:
			over = nil
			neverStarted = l.drop()
		case <-time.After(longest):
			left, ended := l.pool.close()
			if left == waiting && ended == done {
				return neverStarted, fmt.Errorf("operations did not end %v after their deadline: the driver ignores it", drainGrace)
			}
			waiting, done = left, ended // while some wait, one of them starts, or ends, in that time
		}
	}
}

// pace returns when the schedule ends, or ctx does.
func (l *openLoop) pace(ctx context.Context, recorder *record.Recorder) ran {
	waiter := l.waiter()
	defer waiter.Close()
	r := ran{lastIntended: never}
	var measured int64
	op := due{}
	for at := l.law.Next(); at < l.schedule.end; at = l.law.Next() {
		for early := at - l.now(); early > 0; early = at - l.now() {
			waiter.Sleep(min(early, longestWait))
			if ctx.Err() != nil {
				return r
			}
		}
		if ctx.Err() != nil {
			return r
		}
		r.lastIntended = at
		op.intended = at
		if l.intend(op, recorder) == refused {
			r.neverStarted++
		}
		op.row++
		if at >= l.schedule.warmup {
			if measured++; measured == l.schedule.operations {
				return r
			}
		}
	}
	if l.schedule.end == forever {
		return r // the rate fell to 0 before all operations were intended
	}
	// The last operation may be well before the end.
	for early := l.schedule.end - l.now(); early > 0 && ctx.Err() == nil; early = l.schedule.end - l.now() {
		waiter.Sleep(min(early, longestWait))
	}
	return r
}

// intend submits an operation that is due, and records what becomes of it.
func (l *openLoop) intend(op due, recorder *record.Recorder) fate {
	at := op.intended
	fate := l.pool.submit(op)
	arrived := l.now()
	recorder.Intend(at, fate == waits || fate == refused)
	if fate != starts {
		// A pacer that was held up fills the slots by itself: what it lost until here is no
		// delay of the store.
		recorder.Queue(at, arrived)
	}
	if l.fit != nil && at >= l.schedule.warmup {
		l.fit.Arrive(arrived, at)
	}
	if fate == refused {
		recorder.NeverStart(at)
	}
	return fate
}
