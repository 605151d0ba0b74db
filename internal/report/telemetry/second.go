package telemetry

import "github.com/kvbench/kvbench/internal/report/instant"

// Second is a bundle.SelfSecond.
type Second struct {
	At               instant.Unix // its end
	LengthMicros     int32
	InFlightMax      int32
	Limited, Sent    int32
	queued           int32
	Late             int32
	GCPauseMicros    int32
	GCCPUMicros      int32
	ThrottledMicros  int32 // or unmeasured, and so the next one
	StoppedMicros    int32
	stoppedAgoMicros int32 // before the end, when that began
	WriteMicros      int32
	Cores            *cores // nil where the kernel said nothing
	Slots            slots
	Connections      *Connections // nil where operations share none
	Machine          *machine     // nil where nobody tells of it
}

// Unmeasured stands for what the worker's machine didn't tell.
const Unmeasured = -1

func measured(micros *int64) int32 {
	if micros == nil {
		return Unmeasured
	}
	return int32(*micros)
}

// Begin of the second: its line is written at its end.
func (s *Second) Begin() instant.Unix {
	return s.At.Plus(-int64(s.LengthMicros) * instant.NanosPerMicro)
}

// Stopped is the first and the last of the seconds in which the process did not run.
func (s *Second) Stopped(clock instant.Clock) (from, to instant.Second) {
	began := clock.FromStart(s.At).Plus(-int64(s.stoppedAgoMicros))
	return clock.SecondAt(began), clock.SecondAt(began.Plus(int64(s.StoppedMicros)))
}

// slots is how long the slots were busy for which operations waited, and what of it was the
// generator's own work.
type slots struct{ Micros, OwnMicros float32 }

// InQueue is how many operations waited in the worker's queue in the second. If none began to wait, and slots were handed
// over, all that were sent had waited since an earlier second.
func (s *Second) InQueue() int64 {
	if n := max(int64(s.Limited), int64(s.queued)); n > 0 || s.Slots.Micros == 0 {
		return n
	}
	return int64(s.Sent)
}

// Waited is how many operations waited for the store or for the generator: in the queue, or in a session of their own
// for a place on a connection.
func (s *Second) Waited() int64 {
	if s.Connections == nil {
		return s.InQueue()
	}
	return max(s.InQueue(), int64(s.Connections.Waited))
}

// Wanted is for how long the process ran on cores, waited for them, or may have missed cores that the hypervisor gave to
// others; usableMicros is for how long it had cores to use. Its share of the stolen time is the share of the cores that
// it may use at once. ok is false where a part of that isn't known.
func (s *Second) Wanted() (micros, usableMicros int64, ok bool) {
	if s.Machine == nil || s.Cores == nil {
		return 0, 0, false
	}
	stolen := int64(s.Machine.stolenMicros) * int64(s.Machine.Usable) / max(1, int64(s.Machine.Cores))
	return int64(s.Machine.OwnMicros) + int64(s.Cores.WaitedMicros) + stolen,
		int64(s.Machine.Usable) * int64(s.LengthMicros), true
}
