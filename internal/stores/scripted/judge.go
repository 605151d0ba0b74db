package scripted

import "time"

// verdict is how one operation ends.
type verdict int

const (
	answered verdict = iota
	refused
	overdue // no answer before the deadline
)

// judge is the whole truth about an operation: sent then, with that deadline, how and
// when does it end? All times count from Begin. An operation is under way from sent to
// sent+service; whatever fault begins in that time has it.
func (s *Script) judge(sent, deadline time.Duration) (verdict, time.Duration) {
	done := sent + s.ServiceTime
	for _, f := range s.Faults {
		inside := sent >= f.From && sent < f.To
		underWay := sent < f.From && done >= f.From
		switch {
		case f.Behaviour == Stall && (inside || underWay):
			done = f.To
		case f.Behaviour == Swallow && (inside || underWay):
			return overdue, deadline
		case f.Behaviour == Refuse && inside:
			return refused, sent
		case f.Behaviour == Flap && inside && f.refuses(sent):
			return refused, sent
		}
	}
	if done > deadline {
		return overdue, deadline
	}
	return answered, done
}

func (f *Fault) refuses(at time.Duration) bool {
	return f.Turn <= 0 || (at-f.From)/f.Turn%2 == 0
}
