package rate

import (
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

// LongestByOperations bounds a measurement that has a number of operations and no duration.
const LongestByOperations = 24 * time.Hour

// Lasts is how long a workload measures, without its warm-up and its cool-down. The plan doesn't tell that of
// a closed loop that is bounded by operations: it lasts as long as the store needs.
func Lasts(w *plan.Workload) (lasts time.Duration, known bool) {
	warmup := millis(w.Load.WarmupMillis)
	switch trace := w.Load.Trace; {
	case w.DurationMillis > 0:
		return millis(w.DurationMillis), true
	case trace != nil && trace.LastMillis > 0:
		return max(0, millis(trace.LastMillis)-warmup), true
	case w.Load.Rate > 0:
		r := Of(&w.Load)
		return max(0, r.When(r.Due(warmup)+float64(w.Operations))-warmup), true
	default:
		return 0, false
	}
}

// Mean is the mean rate of a workload that measures for so long, in operations/s of all workers, from the begin of
// its warm-up to the end of its cool-down. Of a trace it is no less than that: nobody knows how many of its rows
// are due in the warm-up.
func Mean(w *plan.Workload, lasts time.Duration) float64 {
	recorded := lasts + millis(w.Load.WarmupMillis+w.Load.CooldownMillis)
	switch trace := w.Load.Trace; {
	case recorded <= 0:
		return w.Load.Rate
	case trace != nil && trace.LastMillis > 0:
		return min(w.Load.Rate, float64(trace.Rows)/recorded.Seconds())
	case trace != nil:
		return w.Load.Rate
	default:
		return Of(&w.Load).Due(recorded) / recorded.Seconds()
	}
}

// millis is so many milliseconds, at most the half of what a Duration holds: two of them can be added.
func millis(n int64) time.Duration {
	return min(time.Duration(min(n, int64(Never/time.Millisecond)))*time.Millisecond, Never/2)
}
