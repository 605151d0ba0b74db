package judge

import (
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// capacity says whether a generator had cores to spare in a second. If it had, it did its own work at once, so operations
// that waited then waited for the store.
type capacity int

const (
	notTold capacity = iota // it isn't known
	toSpare
	noneToSpare
)

func capacityOf(s *telemetry.Second) capacity {
	length := float64(s.LengthMicros)
	if float64(s.ThrottledMicros)*1e6 > limits.MaxThrottledMicros*length {
		return noneToSpare
	}
	if wanted, usable, ok := s.Wanted(); ok {
		if float64(wanted) >= limits.MaxCoreShare*float64(usable) {
			return noneToSpare
		}
		return toSpare
	}
	m := s.Machine
	switch {
	case m == nil || m.Cores == 0:
		return notTold
	case float64(m.OwnMicros) >= limits.MaxCoreShare*float64(m.Usable)*length:
		return noneToSpare
	case s.ThrottledMicros != telemetry.Unmeasured && float64(m.IdleMicros) >= (1-limits.MaxCoreShare)*float64(m.Cores)*length:
		return toSpare
	}
	return notTold // it ran little, perhaps since others had the cores
}
