package topology

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

// UnknownRecords stands for a number that a member didn't tell.
const UnknownRecords = -1

// memberRecords are the members' numbers, in the order of their line.
type memberRecords [report.MaxMembers]int64

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
				counts[other] = UnknownRecords
			}
		}
		counts[i] = int64(min(*m.Records, math.MaxInt64))
		m.Records = nil
	}
	return counts
}

// RecordsOf is how many records the member had, and which process had them. They are UnknownRecords and 0 where the
// member didn't tell.
func (s *Sample) RecordsOf(member string) (records int64, process uint64) {
	if s.records == nil {
		return UnknownRecords, 0
	}
	for i := range s.Members {
		if s.Members[i].Name == member {
			return s.records[i], s.Members[i].Process
		}
	}
	return UnknownRecords, 0
}
