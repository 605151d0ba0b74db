// Package machine finds out whether this machine gives its cores in time, for tests that measure.
package machine

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Witness sees for itself whether the machine gives its CPU in time. The generator's own
// word is what the tests doubt: if it says that it was late, the machine must have been busy.
type Witness struct {
	end  func() // returns when it has ended
	late []time.Duration
}

// Watch begins to look, until the test is over at the latest.
func Watch(t testing.TB) *Witness {
	stop, ended := make(chan struct{}), make(chan struct{})
	w := &Witness{end: sync.OnceFunc(func() {
		close(stop)
		<-ended
	})}
	t.Cleanup(w.end)
	go func() {
		defer close(ended)
		const pause = 5 * time.Millisecond
		// A pause of the machine is late for all that was due in it, as for the generator's operations.
		begin := time.Now()
		for due := pause; ; due += pause {
			select {
			case <-stop:
				return
			case <-time.After(time.Until(begin.Add(due))):
				w.late = append(w.late, time.Since(begin)-due)
			}
		}
	}()
	return w
}

// Busy ends the watch. The limits are half of those at which a run is not valid.
func (w *Witness) Busy() bool {
	w.end()
	slices.Sort(w.late)
	p99, longest := w.late[len(w.late)*99/100], w.late[len(w.late)-1]
	return p99 > 5*time.Millisecond || longest > 125*time.Millisecond
}
