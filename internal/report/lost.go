package report

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
)

// unknownRecords stands for a number that a member didn't tell.
const unknownRecords = -1

// memberRecords are the members' numbers, in the order of their line.
type memberRecords [maxMembers]int64

// takeRecords takes the members' numbers of records off a line: they move with every write,
// and lines that say nothing else new are kept once. It is nil where no member tells one.
func takeRecords(l *bundle.TopologyLine) *memberRecords {
	var counts *memberRecords
	for i := range l.Members {
		m := &l.Members[i]
		if m.Records == nil {
			continue
		}
		if counts == nil {
			counts = new(memberRecords)
			for other := range counts {
				counts[other] = unknownRecords
			}
		}
		counts[i] = int64(min(*m.Records, math.MaxInt64))
		m.Records = nil
	}
	return counts
}

// recordsOf is how many records the member had, unknown when it is not known, and which process had
// them; 0 when that is not known.
func (s *sample) recordsOf(member string) (records int64, process uint64) {
	if s.records == nil {
		return unknownRecords, 0
	}
	for i := range s.Members {
		if s.Members[i].Name == member {
			return s.records[i], s.Members[i].Process
		}
	}
	return unknownRecords, 0
}

// observeLoss counts what went with the target: its records in the last sample before the
// injection, less those in the first one of the process that came after the one that was killed.
// What clients wrote to it until then counts as not lost, which is why the number is a lower
// bound. What they deleted would count as lost, so with deletes none is told. Only stores that keep
// each record on one member tell such numbers.
func (f *injection) observeLoss(c workloadClock, t topology, deletes bool, nextNanos int64) {
	after := c.startNanos + f.impact.after*micro
	before := t.before(after)
	if before == nil {
		return
	}
	had, process := before.recordsOf(f.out.Target)
	if had == unknownRecords {
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
		from, isNext = c.startNanos+f.impact.before*micro, func(uint64) bool { return true }
	}
	t.find(from, nextNanos, func(l *sample) bool {
		has, other := l.recordsOf(f.out.Target)
		if has == unknownRecords || !isNext(other) {
			return false
		}
		lost := max(0, had-has)
		f.out.RecordsLost = &lost
		return true
	})
}
