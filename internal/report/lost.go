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

// recordsOf is how many records the member had; unknown when it is not known.
func (s *sample) recordsOf(member string) int64 {
	if s.records == nil {
		return unknownRecords
	}
	for i := range s.Members {
		if s.Members[i].Name == member {
			return s.records[i]
		}
	}
	return unknownRecords
}

// observeLoss counts what went with the target: its records in the last sample before the
// injection, less those in the first one after it. That sample is of the time after the
// injection was seen to be done, so it is of the process that came after the one that was
// killed; what clients wrote to it until then counts as not lost, which is why the number
// is a lower bound. Only stores that keep each record on one member tell such numbers.
func (f *injection) observeLoss(c workloadClock, t topology, nextNanos int64) {
	before := t.before(c.startNanos + f.impact.after*micro)
	if before == nil {
		return
	}
	had := before.recordsOf(f.out.Target)
	if had == unknownRecords {
		return
	}
	f.out.RecordsBefore = &had
	done := c.startNanos + f.impact.before*micro
	back := t.find(done, nextNanos, func(l *sample) bool { return l.recordsOf(f.out.Target) != unknownRecords })
	if back != nil {
		lost := max(0, had-back.recordsOf(f.out.Target))
		f.out.RecordsLost = &lost
	}
}
