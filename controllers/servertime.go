package controllers

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// offsetFresh is how long an estimate of the results server's clock stands before
	// another one is made.
	offsetFresh = time.Minute
	// offsetTimeout bounds one estimate, and is the least time between two.
	offsetTimeout = 5 * time.Second
	// driftPPM is what two clocks may drift apart, in millionths.
	driftPPM = 50
)

var errClockUnknown = errors.New("the results server has not told its time yet")

// serverTime tells the time on the results server's clock, on which all instants of a
// run are noted. It counts on from its last estimate with the monotonic clock, so that
// neither a step of the local clock nor a server that is away disturbs it; new estimates
// are made beside. The zero value is ready.
type serverTime struct {
	mu     sync.Mutex
	server time.Time     // the server's clock, without a monotonic reading,
	local  time.Time     // when the local one, with such a reading, said this
	bound  time.Duration // of the error
	asking bool
	asked  time.Time
}

// now is the server's time and the bound of its error. It never waits.
func (s *serverTime) now(results Results) (time.Time, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age := time.Since(s.local)
	if (s.local.IsZero() || age > offsetFresh) && !s.asking && time.Since(s.asked) >= offsetTimeout {
		s.asking = true
		go s.ask(results)
	}
	if s.local.IsZero() {
		return time.Time{}, 0, errClockUnknown
	}
	return s.server.Add(age), s.bound + age*driftPPM/1_000_000, nil
}

func (s *serverTime) ask(results Results) {
	ctx, cancel := context.WithTimeout(context.Background(), offsetTimeout)
	defer cancel()
	estimate, err := results.EstimateClock(ctx, 8)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking, s.asked = false, time.Now()
	if err != nil {
		return // what is known stands, and its bound grows
	}
	s.local = s.asked
	s.server = s.asked.Add(time.Duration(estimate.OffsetNanos)).Round(0)
	s.bound = time.Duration(estimate.BoundNanos)
}
