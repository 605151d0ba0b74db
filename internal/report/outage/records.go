package outage

import (
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/topology"
)

// observeLoss counts what went with the target: its records in the last sample before the
// injection, less those in the first one of the process that came after the one that was killed.
// What clients wrote to it until then counts as not lost, which is why the number is a lower
// bound. What they deleted would count as lost, so with deletes none is told. Only stores that keep
// each record on one member tell such numbers.
func (f *injection) observeLoss(c instant.Clock, t topology.Topology, deletes bool, next instant.Unix) {
	after := c.Unix(f.impact.after)
	before := t.Before(after)
	if before == nil {
		return
	}
	had, process := before.RecordsOf(f.out.Target)
	if had == topology.UnknownRecords {
		return
	}
	f.out.RecordsBefore = &had
	if deletes {
		return
	}
	// An injection is done when Kubernetes has been asked. The process that is to end may answer
	// until it does, with all that it has.
	from, isNext := after, func(other uint64) bool { return other != 0 && other != process }
	if process == 0 {
		from, isNext = c.Unix(f.impact.before), func(uint64) bool { return true }
	}
	t.Find(from, next, func(l *topology.Sample) bool {
		has, other := l.RecordsOf(f.out.Target)
		if has == topology.UnknownRecords || !isNext(other) {
			return false
		}
		lost := max(0, had-has)
		f.out.RecordsLost = &lost
		return true
	})
}
