package stores

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Standing is what a member says of whether its data are all where they belong.
type Standing uint8

// The answers.
const (
	Unsettled Standing = iota // or it has no answer
	Settled
	NotTold // it can't say so, which keeps nothing up
)

// Settling knows whether a member's data are where they belong. The member is asked after each change,
// until it is so. It is safe for concurrent use.
type Settling struct {
	ask     func(context.Context) Standing
	every   time.Duration // between two questions
	looks   int           // answers in a row, without a change in between, that have to say so
	changes atomic.Int64  // so many of them, and how many were over when it was so
	over    atomic.Int64
	wake    chan struct{}
	start   sync.Once
	stop    context.CancelFunc
	ctx     context.Context
	ended   sync.WaitGroup
}

// NewSettling asks nothing before the first change.
func NewSettling(every time.Duration, looks int, ask func(context.Context) Standing) *Settling {
	ctx, cancel := context.WithCancel(context.Background())
	return &Settling{ask: ask, every: every, looks: looks, wake: make(chan struct{}, 1), stop: cancel, ctx: ctx}
}

// Upset notes a change.
func (s *Settling) Upset() {
	s.changes.Add(1)
	s.start.Do(func() { s.ended.Go(s.watch) })
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// Settled says that it is so since the last change.
func (s *Settling) Settled() bool { return s.over.Load() == s.changes.Load() }

// Stop ends the asking, and doesn't wait for it.
func (s *Settling) Stop() { s.stop() }

// Close ends the asking, and waits until it has ended.
func (s *Settling) Close() {
	s.stop()
	s.start.Do(func() {}) // or it would begin now
	s.ended.Wait()
}

func (s *Settling) watch() {
	again := time.NewTicker(s.every)
	defer again.Stop()
	settled, since := 0, int64(0)
	for {
		for s.Settled() { // a change may have been seen before its wake
			select {
			case <-s.wake:
			case <-s.ctx.Done():
				return
			}
		}
		changes := s.changes.Load()
		if changes != since {
			settled, since = 0, changes
		}
		switch s.ask(s.ctx) {
		case Settled:
			settled++
		case NotTold:
			settled = s.looks
		case Unsettled:
			settled = 0
		}
		if settled >= s.looks {
			s.over.Store(changes)
			continue
		}
		select {
		case <-again.C:
		case <-s.ctx.Done():
			return
		}
	}
}
