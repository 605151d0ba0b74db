package bundletest

import "github.com/kvbench/kvbench/internal/bundle"

// Witness is what a machine told of a second. Times are in milliseconds of it.
type Witness struct {
	Cores, Usable             int64
	Own, Waited, Stolen, Idle int64
	Throttled                 int64
	Length                    int64 // 1,000 if it isn't said
	NoThreads, NoMachine      bool  // the kernel doesn't say
	NoQuota                   bool
}

// Tell makes a second's line say so.
func (w Witness) Tell(s *bundle.SelfSecond) {
	s.ThrottledMicros, s.Cores, s.Machine = new(w.Throttled*Millisecond), nil, nil
	if w.Length > 0 {
		s.LengthMicros = w.Length * Millisecond
	}
	if w.NoQuota {
		s.ThrottledMicros = nil
	}
	if !w.NoThreads {
		s.Cores = &bundle.Cores{Count: int(w.Usable), RanMicros: w.Own * Millisecond, WaitedMicros: w.Waited * Millisecond}
	}
	if !w.NoMachine {
		s.Machine = &bundle.Machine{Cores: int(w.Cores), Usable: int(w.Usable), OwnMicros: w.Own * Millisecond, StolenMicros: w.Stolen * Millisecond, IdleMicros: w.Idle * Millisecond}
	}
}
