package pace

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Waiter waits for instants more exactly than time.Sleep, whose timers are rounded up to
// a millisecond when the program is idle: a timer of the kernel, which Go's poller looks at
// beside the connections to the store. So it does not spin, keeps no thread, and never
// stands between an answer and who waits for it; it costs some microseconds of CPU for a
// wait.
//
// It belongs to one goroutine.
type Waiter struct {
	fd    int
	timer *os.File // of fd, known to the poller
}

// NewWaiter has not waited yet. A process that has no file descriptor left waits as
// time.Sleep does, which the recorded lag shows.
func NewWaiter() *Waiter {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return &Waiter{}
	}
	return &Waiter{fd: fd, timer: os.NewFile(uintptr(fd), "timerfd")}
}

// Close gives the timer back.
func (w *Waiter) Close() {
	if w.timer != nil {
		w.timer.Close()
	}
}

// Sleep waits d; the caller looks at its clock all the same.
func (w *Waiter) Sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	if w.timer == nil || w.wait(d) != nil {
		time.Sleep(d)
	}
}

// wait arms the timer, and is woken by the poller.
func (w *Waiter) wait(d time.Duration) error {
	once := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	if err := unix.TimerfdSettime(w.fd, 0, &once, nil); err != nil {
		return err
	}
	var expirations [8]byte
	_, err := w.timer.Read(expirations[:])
	return err
}
