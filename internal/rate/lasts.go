package rate

import (
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

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

// Mean is the mean rate in the first so much time of a load's measurement, in operations/s of all workers.
func Mean(w *plan.Workload, lasts time.Duration) float64 {
	warmup := millis(w.Load.WarmupMillis)
	switch trace := w.Load.Trace; {
	case lasts <= 0:
		return w.Load.Rate
	case trace != nil && trace.LastMillis > 0:
		rows := trace.Rows
		if w.Operations > 0 {
			rows = w.Operations
		}
		return min(w.Load.Rate, float64(rows)/lasts.Seconds())
	case trace != nil:
		return w.Load.Rate
	default:
		r := Of(&w.Load)
		return (r.Due(warmup+lasts) - r.Due(warmup)) / lasts.Seconds()
	}
}

// millis is so many milliseconds, at most the half of what a Duration holds: two of them can be added.
func millis(n int64) time.Duration {
	return min(time.Duration(min(n, int64(Never/time.Millisecond)))*time.Millisecond, Never/2)
}
