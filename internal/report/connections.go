package report

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Connections is what became of the connections that the operations of an open loop share.
type Connections struct {
	// Before is how many were made before the first operation, and ConnectMeanMicros how long one of
	// them took; 0 without any.
	Before            int64 `json:"before"`
	ConnectMeanMicros int64 `json:"connectMeanMicros"`
	// Opened is how many were made in the measurement, in place of others.
	Opened int64 `json:"opened"`
	// Lost counts operations whose answer was lost with a connection that others shared with them.
	Lost int64 `json:"lost"`
	// Waited counts operations that waited for a place on a connection, which their response time has and
	// their service time hasn't. WaitMeanMicros is over these, and WaitMaxMicros the longest wait.
	// WaitedCrowded are those of them that waited in seconds in which the generator had no cores to spare,
	// and so perhaps for it. The others waited for the store.
	Waited         int64 `json:"waited"`
	WaitedCrowded  int64 `json:"waitedCrowded"`
	WaitMeanMicros int64 `json:"waitMeanMicros"`
	WaitMaxMicros  int64 `json:"waitMaxMicros"`
}

// connections is a bundle.Connections.
type connections struct {
	opened, lost, waited int32
	waitMicros           float32
	waitMaxMicros        int64
}

func connectionsOf(c *bundle.Connections) *connections {
	if c == nil {
		return nil
	}
	return &connections{
		opened: int32(c.Opened), lost: int32(c.Lost), waited: int32(c.Waited),
		waitMicros: float32(c.WaitMicros), waitMaxMicros: c.WaitMaxMicros,
	}
}

// connectionSum is that of all workers.
type connectionSum struct {
	Connections
	shared                    bool
	connectMicros, waitMicros float64
}

// add adds a second of a worker that had that room.
func (s *connectionSum) add(c *connections, of room) {
	if c == nil {
		return
	}
	s.shared = true
	s.Opened += int64(c.opened)
	s.Lost += int64(c.lost)
	s.Waited += int64(c.waited)
	if of == noRoom {
		s.WaitedCrowded += int64(c.waited)
	}
	s.waitMicros += float64(c.waitMicros)
	s.WaitMaxMicros = max(s.WaitMaxMicros, c.waitMaxMicros)
}

// addBefore adds what a worker made before its first operation.
func (s *connectionSum) addBefore(c *bundle.Connections) {
	if c == nil {
		return
	}
	s.shared = true
	s.Before += c.Opened
	s.connectMicros += float64(c.ConnectMicros)
}

// report is nil where operations shared no connections.
func (s *connectionSum) report() *Connections {
	if !s.shared {
		return nil
	}
	c := s.Connections
	if c.Before > 0 {
		c.ConnectMeanMicros = int64(s.connectMicros / float64(c.Before))
	}
	if c.Waited > 0 {
		c.WaitMeanMicros = int64(s.waitMicros / float64(c.Waited))
	}
	return &c
}

// line says it for people.
func (c *Connections) line() string {
	text := fmt.Sprintf("%d connections before the first operation", c.Before)
	if c.Before > 0 {
		text += fmt.Sprintf(", %s each", human(c.ConnectMeanMicros))
	}
	text += fmt.Sprintf("; %d made in the measurement", c.Opened)
	if c.Lost > 0 {
		text += fmt.Sprintf("; %d operations were lost with a connection that others shared", c.Lost)
	}
	if c.Waited > 0 {
		text += fmt.Sprintf("; %d operations waited for a place on one, %s on average, %s at most", c.Waited, human(c.WaitMeanMicros), human(c.WaitMaxMicros))
		if c.WaitedCrowded > 0 {
			text += fmt.Sprintf(", %d of them while the generator had no cores to spare", c.WaitedCrowded)
		}
	}
	return text
}

// checkConnections refuses what no worker can have counted.
func checkConnections(c *bundle.Connections) error {
	for _, n := range [...]int64{c.Opened, c.Lost, c.Waited} {
		if n < 0 || n > maxSelfCount {
			return fmt.Errorf("connections with a count of %d", n)
		}
	}
	for _, micros := range [...]int64{c.ConnectMicros, c.WaitMicros, c.WaitMaxMicros} {
		if micros < 0 || micros > maxSlotMicros {
			return fmt.Errorf("connections with a time of %d µs", micros)
		}
	}
	return nil
}
