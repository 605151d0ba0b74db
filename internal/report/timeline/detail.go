package timeline

import (
	"slices"

	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// A run may last a day, and most of it is summed up by second. Bins are kept one by one near the faults: from
// DetailLead before an injection, which covers the widening of its bracket and the look before it, until it is
// not followed any more.
const (
	DetailLead  = limits.LookMicros/1_000_000 + 3 // seconds
	detailAfter = limits.MaxLookMicros/1_000_000 + DetailLead
	seriesAfter = limits.MaxSeriesLookMicros/1_000_000 + DetailLead
)

// Detail are the seconds, from the workload's start, whose bins are kept: of all operations together, and
// of each series.
type Detail struct{ All, Series Spans }

// span is some seconds; To is exclusive.
type span struct{ From, To chunkIndex }

// Spans are in any order, and may overlap.
type Spans []span

func (s Spans) has(at chunkIndex) bool {
	return slices.ContainsFunc(s, func(one span) bool { return at >= one.From && at < one.To })
}

// DetailAround are the seconds whose bins are kept for these injections.
func DetailAround(injections []instant.FromStart) (d Detail) {
	for _, at := range injections {
		second := chunkOf(at.Bin())
		d.All = append(d.All, span{From: second - DetailLead, To: second + detailAfter})
		d.Series = append(d.Series, span{From: second - DetailLead, To: second + seriesAfter})
	}
	return d
}
