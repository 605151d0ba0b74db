package pace

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Waiter waits for instants more exactly than time.Sleep, whose timers are rounded up to
// a millisecond when the program is idle: nanosleep on a thread of its own, with the
// kernel's timer slack of 50 µs switched off. It does not spin, so it costs some
// microseconds of CPU for a wait.
//
// It belongs to the goroutine that made it, which keeps its thread until Close.
type Waiter struct{}

// NewWaiter ties the calling goroutine to its thread.
func NewWaiter() *Waiter {
	runtime.LockOSThread()
	// A kernel or a sandbox that refuses leaves 50 µs of slack: the waits are later by
	// that, which the recorded lag shows.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return &Waiter{}
}

// Close gives the thread back, with the default timer slack.
func (*Waiter) Close() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0)
	runtime.UnlockOSThread()
}

// Sleep waits at most d; a signal may end it sooner, so the caller looks at its clock.
func (*Waiter) Sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	request := unix.NsecToTimespec(int64(d))
	// EINTR is the only error, and is what the contract above allows.
	_ = unix.Nanosleep(&request, nil)
}
