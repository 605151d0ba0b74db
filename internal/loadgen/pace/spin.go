package pace

import (
	"runtime"
	"time"
)

// spin is waiting by looking again and again. It takes a core, so it is done while one is
// free: a turn that took long was interrupted, by another program that wants the core or
// because the quota is used up. Then there is a calm without spinning, and a longer one
// when that happens again before it has spun for as long as it was calm.
type spin struct {
	cores int // that Go uses
	calm  time.Duration
	until time.Time // of the calm
}

const (
	// interruption is how long a turn takes at least when it was interrupted: other
	// goroutines have their turns in it, of some microseconds each.
	interruption = 500 * time.Microsecond
	firstCalm    = time.Second
	lastCalm     = time.Minute
)

// allowed reports whether to spin now. On a single core a spin would keep the answers of
// the store waiting, which Go looks for when there is nothing else to do.
func (s *spin) allowed(now time.Time) bool { return s.cores > 1 && !now.Before(s.until) }

// turn lets other goroutines run once.
func (s *spin) turn() {
	before := time.Now()
	runtime.Gosched()
	s.took(before, time.Since(before))
}

// took learns from a turn that began then.
func (s *spin) took(began time.Time, d time.Duration) {
	if d < interruption {
		return
	}
	if s.calm == 0 || began.Sub(s.until) > s.calm {
		s.calm = firstCalm
	} else {
		s.calm = min(2*s.calm, lastCalm)
	}
	s.until = began.Add(d + s.calm)
}
