package observer

import (
	"context"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// betweenLooks is the least time from one look that was asked for to the next.
const betweenLooks = 100 * time.Millisecond

// shared are looks at the members for all who ask: whoever reaches the observer may, and each look
// is work for the store that is measured. Who asks while one is under way gets the next one, so that
// no answer is older than its question.
type shared struct {
	sample  func(context.Context) (bundle.TopologyLine, bool)
	looking chan struct{} // has a place for the look that is under way, until betweenLooks after its begin

	mu   sync.Mutex
	next *look // nil: nobody waits for one
}

func newShared(sample func(context.Context) (bundle.TopologyLine, bool)) *shared {
	return &shared{sample: sample, looking: make(chan struct{}, 1)}
}

type look struct {
	done chan struct{}
	line bundle.TopologyLine // when it is done
	ok   bool
}

// ask has a look that begins after the call. ok is false where there is none, or ctx ended.
func (s *shared) ask(ctx context.Context) (line bundle.TopologyLine, ok bool) {
	s.mu.Lock()
	mine := s.next
	if mine == nil {
		mine = &look{done: make(chan struct{})}
		s.next = mine
		// A look isn't broken off with the request: it would say that nobody answers.
		go s.look(context.WithoutCancel(ctx), mine)
	}
	s.mu.Unlock()
	select {
	case <-mine.done:
		return mine.line, mine.ok
	case <-ctx.Done():
		return bundle.TopologyLine{}, false
	}
}

func (s *shared) look(ctx context.Context, mine *look) {
	s.looking <- struct{}{}
	defer func() { <-s.looking }()
	s.mu.Lock()
	s.next = nil
	s.mu.Unlock()
	over := time.After(betweenLooks)
	mine.line, mine.ok = s.sample(ctx)
	close(mine.done)
	<-over
}
