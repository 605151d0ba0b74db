package report

import (
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// A run may last a day, and most of it is summed up by second. What is kept in detail is
// near the faults: from detailLead before an injection, which covers the widening of its
// bracket (maxWideningMicros) and the look before it, until it is not followed any more.
const (
	detailLead        = lookMicros/1_000_000 + 3 // seconds
	detailAfter       = maxLookMicros/1_000_000 + detailLead
	seriesAfter       = maxSeriesLookMicros/1_000_000 + detailLead
	maxWideningMicros = 2_000_000
)

// detail are the seconds, from the workload's start, whose bins are kept: of all operations together, and
// of each series.
type detail struct{ whole, series spans }

// span is some seconds; to is exclusive.
type span struct{ from, to int64 }

type spans []span

func (s spans) has(second int64) bool {
	return slices.ContainsFunc(s, func(one span) bool { return second >= one.from && second < one.to })
}

// injectionsOf are the instants of a workload's injections, in microseconds from its start
// and in their order, as the controller wrote them.
func injectionsOf(in *Input, w *plan.Workload, c workloadClock) []int64 {
	var instants []int64
	for _, f := range plannedFaults(in, w) {
		if f.injected() {
			instants = append(instants, c.fromStart(f.line.InjectedAfterUnixNanos))
		}
	}
	slices.Sort(instants)
	return instants
}

// detailed are the seconds whose bins are kept for these injections.
func detailed(injections []int64) (d detail) {
	for _, at := range injections {
		second := floorDiv(at, 1_000_000)
		d.whole = append(d.whole, span{from: second - detailLead, to: second + detailAfter})
		d.series = append(d.series, span{from: second - detailLead, to: second + seriesAfter})
	}
	return d
}

// lastBin bounds the bins of a workload: what was intended in its record has ended by then.
// An operation has two deadlines at most, and the generator waits a little for drivers.
func (c workloadClock) lastBin(w *plan.Workload) int64 {
	const grace = 60_000_000
	end := c.recordedMicros + 2*w.Load.OperationTimeoutMillis*1000 + grace
	return min(end/binMicros, bundle.MaxBinIndex)
}
