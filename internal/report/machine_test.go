package report_test

import (
	"slices"
	"time"
)

// machine sees for itself whether this machine gives its CPU in time. The generator's own
// word is what the tests doubt: if it says that it was late, the machine must have been busy.
type machine struct {
	stop, ended chan struct{}
	late        []time.Duration
}

func watchMachine() *machine {
	m := &machine{stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		const pause = 5 * time.Millisecond
		// A pause of the machine is late for all that was due in it, as for the generator's operations.
		begin := time.Now()
		for due := pause; ; due += pause {
			select {
			case <-m.stop:
				return
			case <-time.After(time.Until(begin.Add(due))):
				m.late = append(m.late, time.Since(begin)-due)
			}
		}
	}()
	return m
}

// busy ends the watch. The limits are half of those at which a run is not valid.
func (m *machine) busy() bool {
	close(m.stop)
	<-m.ended
	slices.Sort(m.late)
	p99, longest := m.late[len(m.late)*99/100], m.late[len(m.late)-1]
	return p99 > 5*time.Millisecond || longest > 125*time.Millisecond
}
