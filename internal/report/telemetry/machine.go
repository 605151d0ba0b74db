package telemetry

import (
	"fmt"
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
)

// cores has what is judged of a bundle.Cores.
type cores struct{ Count, WaitedMicros, WaitedMaxMicros, LongWaitsMicros int32 }

// coresOf is nil if the kernel told nothing.
func coresOf(c *bundle.Cores) *cores {
	if c == nil {
		return nil
	}
	return &cores{int32(c.Count), int32(c.WaitedMicros), int32(c.WaitedMaxMicros), int32(c.LongWaitsMicros)}
}

func checkCores(c *bundle.Cores) error {
	if c.Count < 1 || c.Count > maxCount {
		return fmt.Errorf("a second with %d cores", c.Count)
	}
	for _, n := range [...]int64{c.RanMicros, c.WaitedMicros, c.WaitedMaxMicros, c.LongWaitsMicros} {
		if n < 0 || n > maxCount {
			return fmt.Errorf("a second in which threads ran or waited for %d µs", n)
		}
	}
	return nil
}

// machine has what is judged of a bundle.Machine. Where the kernel tells nothing of the machine, it has what the threads
// tell, and Cores is 0.
type machine struct{ Cores, Usable, IdleMicros, stolenMicros, OwnMicros int32 }

// machineOf is nil if neither the machine nor the threads are known.
func machineOf(s *bundle.SelfSecond) *machine {
	switch m := s.Machine; {
	case m != nil:
		return &machine{int32(m.Cores), int32(m.Usable), capped(m.IdleMicros), capped(m.StolenMicros), capped(m.OwnMicros)}
	case s.Cores != nil:
		return &machine{Usable: int32(s.Cores.Count), OwnMicros: int32(s.Cores.RanMicros)}
	}
	return nil
}

// capped bounds sums over many cores in a line of many seconds.
func capped(n int64) int32 { return int32(min(n, math.MaxInt32)) }

func checkMachine(m *bundle.Machine) error {
	if m.Cores < 1 || m.Cores > maxCount || m.Usable < 1 || m.Usable > m.Cores {
		return fmt.Errorf("a second with %d of %d cores", m.Usable, m.Cores)
	}
	for _, n := range [...]int64{m.IdleMicros, m.StolenMicros, m.OwnMicros} {
		if n < 0 || n > maxCount*int64(m.Cores) {
			return fmt.Errorf("a second in which cores did something for %d µs", n)
		}
	}
	return nil
}
