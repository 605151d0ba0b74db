package telemetry

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Connections is a bundle.Connections.
type Connections struct {
	Opened, Lost, Waited int32
	WaitMicros           float32
	WaitMaxMicros        int64
}

func connectionsOf(c *bundle.Connections) *Connections {
	if c == nil {
		return nil
	}
	return &Connections{
		Opened: int32(c.Opened), Lost: int32(c.Lost), Waited: int32(c.Waited),
		WaitMicros: float32(c.WaitMicros), WaitMaxMicros: c.WaitMaxMicros,
	}
}

// checkConnections refuses what no worker can have counted.
func checkConnections(c *bundle.Connections) error {
	for _, n := range [...]int64{c.Opened, c.Lost, c.Waited} {
		if n < 0 || n > maxCount {
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
