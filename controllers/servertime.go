package controllers

import (
	"context"
	"sync"
	"time"
)

// offsetFresh is how long an estimate of the offset to the results server stands.
const offsetFresh = time.Minute

// serverTime tells the time on the results server's clock, on which all instants of a
// run are noted. The zero value is ready.
type serverTime struct {
	mu     sync.Mutex
	offset time.Duration
	at     time.Time
}

// now needs the server only when the last estimate is old.
func (s *serverTime) now(ctx context.Context, results Results) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at.IsZero() || time.Since(s.at) > offsetFresh {
		estimate, err := results.EstimateClock(ctx, 8)
		switch {
		case err == nil:
			s.offset, s.at = time.Duration(estimate.OffsetNanos), time.Now()
		case s.at.IsZero():
			return time.Time{}, err
		}
	}
	return time.Now().Add(s.offset), nil
}
