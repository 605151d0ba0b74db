package loadgen

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// closedLoop does one operation after the other in each of its sessions.
type closedLoop struct {
	schedule schedule
	sessions []*session
	measured atomic.Int64 // operations sent after the warm-up
}

// peak is the most operations that can be under way.
func (l *closedLoop) peak() int { return len(l.sessions) }

// run returns when all sessions have ended their last operation. Nothing ever waits.
func (l *closedLoop) run(ctx context.Context) (_ ran, err error) {
	var ended sync.WaitGroup
	for _, s := range l.sessions {
		ended.Go(func() { l.loop(ctx, s) })
	}
	ended.Wait()
	for _, s := range l.sessions {
		err = errors.Join(err, s.end())
	}
	return ran{lastIntended: never}, err
}

func (l *closedLoop) loop(ctx context.Context, s *session) {
	if early := -s.now(); early > 0 && !wait(ctx, early) {
		return
	}
	over := ctx.Done()
	for now := s.now(); now < l.schedule.end; {
		select {
		case <-over:
			return
		default:
		}
		if l.schedule.operations > 0 && now >= l.schedule.warmup && l.measured.Add(1) > l.schedule.operations {
			return
		}
		now = s.closed(now)
	}
}
