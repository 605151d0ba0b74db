package judge

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/read"
)

const (
	// The seconds are cut into blocks of equal numbers, as batch means are (A. Law, Simulation
	// Modeling and Analysis, 9.5.3): neighbouring seconds are alike, and blocks of them are less so.
	// The first third of the blocks is compared with the last.
	trendBlocks = 30
	trendThird  = trendBlocks / 3
	// There are 100 pairs of a block of the first third and one of the last. maxContrary bounds those in
	// which the later one is not faster. Their number is Mann and Whitney's U (On a test of whether one of
	// two random variables is stochastically larger than the other, Annals of Mathematical Statistics
	// 18, 1947). It holds for any distribution: without a trend it is 10 or less with a probability of 0.00075.
	maxContrary = 10.
	// maxLastShare is how much of the first third's median the last one's may be: a smaller change
	// misleads nobody.
	maxLastShare = 0.9
)

// Trend is nil if there is nothing to compare, since there are too few seconds or the load changes.
func Trend(m *read.Measured, w *plan.Workload, faults []report.Fault) *report.Trend {
	if w.Load.Shape != nil || w.Load.Trace != nil {
		return nil
	}
	end := m.Clock.MeasuredMicros / 1_000_000
	for i := range faults {
		if at := faults[i].InjectedAt; at != nil {
			end = min(end, int64(at.After.SinceStartMicros)/1_000_000)
		}
	}
	var medians []float64
	for s := range end {
		if q := m.Latencies.Seconds.Find(instant.Second(s)); q.Known {
			medians = append(medians, float64(q.P50))
		}
	}
	first, last, faster, ok := compareThirds(medians)
	if !ok {
		return nil
	}
	return &report.Trend{FirstP50Micros: int64(first), LastP50Micros: int64(last), Seconds: end, GotFaster: faster}
}

// compareThirds says whether the values of the last third are smaller than those of the first. ok is false if there are
// too few values.
func compareThirds(values []float64) (first, last float64, smaller, ok bool) {
	if len(values) < trendBlocks {
		return 0, 0, false, false
	}
	var blocks [trendBlocks]float64
	for i := range blocks {
		blocks[i] = median(values[i*len(values)/trendBlocks : (i+1)*len(values)/trendBlocks])
	}
	begin, end := blocks[:trendThird], blocks[trendBlocks-trendThird:]
	first, last = median(begin), median(end)
	return first, last, contrary(begin, end) <= maxContrary && last < maxLastShare*first, true
}

// contrary counts the pairs in which the later value is not smaller; an equal one is half a pair.
func contrary(earlier, later []float64) (pairs float64) {
	for _, a := range earlier {
		for _, b := range later {
			switch {
			case b > a:
				pairs++
			case b == a:
				pairs += 0.5
			}
		}
	}
	return pairs
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Remarks are what has to be known beside the figures. A store that gets faster behaves so by itself, so it is no reason
// against the figures.
func Remarks(w *report.Workload) []report.Reason {
	t := w.Trend
	if t == nil || !t.GotFaster {
		return nil
	}
	which := "service time"
	if w.Load.Model == report.ModelOpen {
		which = "response time"
	}
	return []report.Reason{{Reason: report.GotFaster, Workload: w.Name, Message: fmt.Sprintf(
		"the median %s was %s in the first third of %d s, and %s in the last: the store was still warming up, or something else changed. Raise load.warmup until both are alike",
		which, report.Human(t.FirstP50Micros), t.Seconds, report.Human(t.LastP50Micros))}}
}
