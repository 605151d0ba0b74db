package report

import (
	"fmt"
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
)

// machine is what is judged of a bundle.Machine, or of what is known of it where the kernel says nothing
// of the machine: then cores is 0.
type machine struct{ cores, usable, idleMicros, stolenMicros, ownMicros int32 }

// machineOf is nil where nobody tells anything.
func machineOf(s *bundle.SelfSecond) *machine {
	switch m := s.Machine; {
	case m != nil:
		return &machine{int32(m.Cores), int32(m.Usable), capped(m.IdleMicros), capped(m.StolenMicros), capped(m.OwnMicros)}
	case s.Cores != nil:
		return &machine{usable: int32(s.Cores.Count), ownMicros: int32(s.Cores.RanMicros)}
	}
	return nil
}

// capped is for sums over many cores and a line of many seconds.
func capped(n int64) int32 { return int32(min(n, math.MaxInt32)) }

func checkMachine(m *bundle.Machine) error {
	if m.Cores < 1 || m.Cores > maxSelfCount || m.Usable < 1 || m.Usable > m.Cores {
		return fmt.Errorf("a second with %d of %d cores", m.Usable, m.Cores)
	}
	for _, n := range [...]int64{m.IdleMicros, m.StolenMicros, m.OwnMicros} {
		if n < 0 || n > maxSelfCount*int64(m.Cores) {
			return fmt.Errorf("a second in which cores did something for %d µs", n)
		}
	}
	return nil
}

// room says whether a generator had cores to spare in a second. If it had, it did all that it had to do at
// once, so what waited then waited for the store.
type room int

const (
	notTold room = iota // whether it had
	toSpare
	noRoom
)

// wanted is for how long the process ran on cores, waited for them, or may have missed those that the
// hypervisor gave to others, and how long it had them to use. Of what was stolen from all cores, its share is that
// of the cores that it may use at once. ok is false where nobody tells all of it.
func (s *selfSecond) wanted() (micros, usableMicros int64, ok bool) {
	if s.machine == nil || s.cores == nil {
		return 0, 0, false
	}
	stolen := int64(s.machine.stolenMicros) * int64(s.machine.usable) / max(1, int64(s.machine.cores))
	return int64(s.machine.ownMicros) + int64(s.cores.waitedMicros) + stolen,
		int64(s.machine.usable) * int64(s.lengthMicros), true
}

func (s *selfSecond) room() room {
	length := float64(s.lengthMicros)
	if float64(s.throttledMicros)*1e6 > maxThrottledMicros*length {
		return noRoom
	}
	if wanted, usable, ok := s.wanted(); ok {
		if float64(wanted) >= maxCoreShare*float64(usable) {
			return noRoom
		}
		return toSpare
	}
	m := s.machine
	switch {
	case m == nil || m.cores == 0:
		return notTold
	case float64(m.ownMicros) >= maxCoreShare*float64(m.usable)*length:
		return noRoom
	case s.throttledMicros != unmeasured && float64(m.idleMicros) >= (1-maxCoreShare)*float64(m.cores)*length:
		return toSpare
	}
	return notTold // it ran little, and perhaps as others had the cores
}
