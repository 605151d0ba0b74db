package pace

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Spinner waits for instants to the microsecond: it sleeps until shortly before, and spins
// for the rest while a core is free. It belongs to one goroutine, which must not be locked
// to its thread: its turns let other goroutines run there.
type Spinner struct {
	yielded bool
	spin    spin
}

// NewSpinner has not waited yet.
func NewSpinner() *Spinner { return &Spinner{spin: spin{cores: runtime.GOMAXPROCS(0)}} }

// Close ends its use.
func (*Spinner) Close() {}

// lead is how long before the instant a sleep ends. An idle core of a virtual machine
// takes some 30 µs to wake up.
const lead = 50 * time.Microsecond

// Sleep waits at most d, and often much shorter, so the caller looks at its clock.
func (s *Spinner) Sleep(d time.Duration) {
	switch {
	case d <= 0:
	case !s.spin.allowed(time.Now()):
		s.sleep(d)
	case d > lead:
		s.sleep(d - lead)
	default:
		s.spin.turn()
	}
}

// sleep first lets run what the caller has handed over, and comes back: a goroutine that
// has just become ready waits on this thread, and another thread would have to wake up to
// take it from there.
func (s *Spinner) sleep(d time.Duration) {
	s.yielded = !s.yielded
	if s.yielded {
		runtime.Gosched()
		return
	}
	// It may be on another thread each time. A kernel or a sandbox that refuses leaves 50 µs
	// of slack, which the recorded lag shows.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	nanosleep(d)
}
