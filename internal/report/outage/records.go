package outage

import (
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/topology"
)

// concludeLoss counts the records that were lost with the target: those in the last sample before the injection, less
// those in the first sample of the next process. Records that clients wrote until then count as not lost, so the number
// is a lower bound. Records that clients deleted would count as lost, so with deletes no number is given. Only stores
// that keep each record on one member tell such numbers. A fault that lasts ends no process.
func (f *injection) concludeLoss(c instant.Clock, t topology.Topology, deletes bool, next instant.Unix) {
	after := c.Unix(f.impact.after)
	before := t.Before(after)
	if before == nil || f.action.Lasts {
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
	// An injection is done when Kubernetes was asked for it. Until the old process ends, it may still answer with all
	// of its records.
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
