// Package machine sees whether this machine gives its cores in time, for tests that measure.
package machine

import (
	"slices"
	"time"
)

// Witness sees for itself whether the machine gives its CPU in time. The generator's own
// word is what the tests doubt: if it says that it was late, the machine must have been busy.
type Witness struct {
	stop, ended chan struct{}
	late        []time.Duration
}

// Watch begins to look.
func Watch() *Witness {
	w := &Witness{stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		const pause = 5 * time.Millisecond
		// A pause of the machine is late for all that was due in it, as for the generator's operations.
		begin := time.Now()
		for due := pause; ; due += pause {
			select {
			case <-w.stop:
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
	close(w.stop)
	<-w.ended
	slices.Sort(w.late)
	p99, longest := w.late[len(w.late)*99/100], w.late[len(w.late)-1]
	return p99 > 5*time.Millisecond || longest > 125*time.Millisecond
}
