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
	stopped  atomic.Bool
	granted  atomic.Int64 // operations after the warm-up, of schedule.operations
}

// peak is the most operations that can be under way.
func (l *closedLoop) peak() int { return len(l.sessions) }

// run returns when all sessions have ended their last operation. Nothing ever waits.
func (l *closedLoop) run(ctx context.Context) (_ ran, err error) {
	defer context.AfterFunc(ctx, func() { l.stopped.Store(true) })()
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
	var own int64 // operations that were granted to this session
	for now := s.now(); now < l.schedule.end && !l.stopped.Load(); now = s.closed(now) {
		if l.schedule.operations == 0 || now < l.schedule.warmup {
			continue
		}
		if own == 0 {
			if own = l.grant(); own == 0 {
				return
			}
		}
		own--
	}
}

// largestGrant makes what sessions share a matter of nothing for each operation.
const largestGrant = 1024

// grant gives a session some of the operations that are left; 0 when none are. They are
// fewer the fewer are left (guided self-scheduling: Polychronopoulos and Kuck, 1987), so
// that a counter that all sessions write is seldom needed, and yet all end together.
func (l *closedLoop) grant() int64 {
	for {
		granted := l.granted.Load()
		left := l.schedule.operations - granted
		n := min(left, largestGrant, 1+left/int64(4*len(l.sessions)))
		if n == 0 || l.granted.CompareAndSwap(granted, granted+n) {
			return n
		}
	}
}
