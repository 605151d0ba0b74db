package report

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
)

// clockError is how far instants may be off that were made with the first of a worker's
// estimates. Each estimate allows the true offset to be anywhere within its bound.
//
// While all of them have a range in common, the clock held still as far as anyone can tell,
// and the truth is in that range: a noisy estimate adds nothing. Once two contradict each
// other, the clock moved, and each estimate that another one contradicts counts in full.
func clockError(clocks []bundle.Clock) int64 {
	first := clocks[0]
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for _, c := range clocks {
		low, high = max(low, c.OffsetNanos-c.BoundNanos), min(high, c.OffsetNanos+c.BoundNanos)
	}
	if low <= high {
		return max(high-first.OffsetNanos, first.OffsetNanos-low)
	}
	off := first.BoundNanos
	for _, c := range clocks {
		if c.OffsetNanos-c.BoundNanos > high || c.OffsetNanos+c.BoundNanos < low {
			off = max(off, abs(c.OffsetNanos-first.OffsetNanos)+c.BoundNanos)
		}
	}
	return off
}

// clockBounds are the largest error, in nanoseconds, of the clocks of the workers and the
// observers, and of all, the controller's included; nil when nobody said. Of the observers
// counts what they stamped around the workloads: they watch from the deployment on.
func clockBounds(in *Input) (writers, all *int64) {
	take := func(largest **int64, nanos int64) {
		if *largest == nil || nanos > **largest {
			*largest = &nanos
		}
	}
	for i := range in.Plan.Workloads {
		m := in.Workloads[in.Plan.Workloads[i].Name]
		if m == nil {
			continue
		}
		for _, worker := range m.workers {
			if len(worker.clocks) > 0 {
				take(&writers, clockError(worker.clocks))
			}
		}
		if errNanos, _, any := in.ObserverClock.within(m.clock); any {
			take(&writers, errNanos)
		}
	}
	if writers != nil {
		take(&all, *writers)
	}
	for i := range in.Faults {
		if nanos := in.Faults[i].ClockBoundNanos; nanos > 0 {
			take(&all, nanos)
		}
	}
	return writers, all
}

// microsUp rounds up; nil stays nil.
func microsUp(nanos *int64) *int64 {
	if nanos == nil {
		return nil
	}
	up := (*nanos + micro - 1) / micro
	return &up
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
