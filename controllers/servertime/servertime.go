// Package servertime tells the time on the results server's clock, on which all instants of a run are
// noted.
package servertime

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/monotonic"
)

const (
	// offsetFresh is how long an estimate of the results server's clock stands before
	// another one is made.
	offsetFresh = time.Minute
	// offsetTimeout bounds one estimate, and is the least time between two.
	offsetTimeout = 5 * time.Second
	// driftPPM is what two clocks may drift apart, in millionths.
	driftPPM = 50
	// leastStep is the least difference from the last estimate that neither drift nor noise explains. A
	// clock was set then, or stood still.
	leastStep = time.Second
)

// ErrUnknown says that no estimate has been made yet.
var ErrUnknown = errors.New("the results server has not told its time yet")

// Estimator compares the clock of this process with the results server's.
type Estimator interface {
	EstimateClock(ctx context.Context, exchanges int) (bundle.Clock, error)
}

// Clock tells the time on the results server's clock. It counts on from its last estimate with the
// monotonic clock, so neither a step of the local clock nor a server that is away disturbs it. New
// estimates are made in the background. The zero value is ready.
type Clock struct {
	mu     sync.Mutex
	server time.Time     // the server's clock, without a monotonic reading,
	local  time.Time     // when the local one, with such a reading, said this
	bound  time.Duration // of the error
	asking bool
	asked  time.Time
	moved  time.Duration // the largest step since begin
	apart  time.Duration // how far an instant since begin may be off for what the clocks moved

	LocalNow func() time.Time // monotonic.Now, but in tests
}

// clock is the local clock, the one that the estimates are of.
func (s *Clock) clock() time.Time {
	if s.LocalNow != nil {
		return s.LocalNow()
	}
	return monotonic.Now()
}

// Begin forgets what was known, at the start of a measurement. Instants that are told from then on are of
// the clock as it is, and a comparison with an estimate of days ago would say nothing of it.
func (s *Clock) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.local, s.asked, s.moved, s.apart = time.Time{}, time.Time{}, 0, 0
}

// Stepped is how far the server's clock was seen to move against the local one since begin;
// 0 when it did not.
func (s *Clock) Stepped() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

// Off is how far instants that were told since Begin may be off, beyond their bounds: the estimates before
// and after contradict each other by so much. It is 0 while none do.
func (s *Clock) Off() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.apart
}

// Now is the server's time and the bound of its error. It never waits.
func (s *Clock) Now(estimator Estimator) (time.Time, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age := s.clock().Sub(s.local)
	if (s.local.IsZero() || age > offsetFresh) && !s.asking && s.clock().Sub(s.asked) >= offsetTimeout {
		s.asking = true
		go func() { _ = s.Ask(context.Background(), estimator) }()
	}
	if s.local.IsZero() {
		return time.Time{}, 0, ErrUnknown
	}
	return s.server.Add(age), s.bound + age*driftPPM/1_000_000, nil
}

// Ask makes an estimate, and compares it with the last one. Where it fails, the last estimate stands, and
// its bound grows.
func (s *Clock) Ask(ctx context.Context, estimator Estimator) error {
	ctx, cancel := context.WithTimeout(ctx, offsetTimeout)
	defer cancel()
	estimate, err := estimator.EstimateClock(ctx, 8)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking, s.asked = false, s.clock()
	if err != nil {
		return err
	}
	server, bound := s.asked.Add(time.Duration(estimate.OffsetNanos)).Round(0), time.Duration(estimate.BoundNanos)
	if !s.local.IsZero() {
		age := s.asked.Sub(s.local)
		moved := server.Sub(s.server.Add(age))
		noise := bound + s.bound + age*driftPPM/1_000_000
		if moved.Abs() > noise {
			s.apart = max(s.apart, moved.Abs()+max(bound, s.bound))
		}
		if moved.Abs() > leastStep+noise && moved.Abs() > s.moved.Abs() {
			s.moved = moved
		}
	}
	s.local, s.server, s.bound = s.asked, server, bound
	return nil
}
