package loadgen

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/workload"
)

// share is worker i's part of a total: the parts of all workers add up to it.
func share(total int64, i, workers int) int64 {
	part := total / int64(workers)
	if int64(i) < total%int64(workers) {
		part++
	}
	return part
}

// slots is how many operations this worker may have under way in an open loop.
func slots(load *plan.Load, i int) int {
	total := int64(load.MaxInFlight)
	if total == 0 {
		total = int64(math.Ceil(load.Rate * float64(load.OperationTimeoutMillis) / 1000 * 1.5))
	}
	return max(1, int(share(total, i, load.Workers)))
}

// schedule is when a worker intends operations, from the start.
type schedule struct {
	warmup time.Duration
	end    time.Duration // no operation is intended from here on
	// operations ends it sooner: so many, intended after the warm-up. 0 means no bound.
	operations int64
}

const forever = time.Duration(math.MaxInt64)

// newSchedule is that of a worker that has a part of the workload's operations.
func newSchedule(w *plan.Workload, part int64) schedule {
	s := schedule{warmup: millis(w.Load.WarmupMillis), end: forever}
	if w.DurationMillis > 0 {
		s.end = s.warmup + millis(w.DurationMillis) + millis(w.Load.CooldownMillis)
	}
	if w.Operations > 0 {
		s.operations = part
		if s.operations == 0 {
			s.end = s.warmup // others do all of them
		}
	}
	return s
}

// schedule is the job's. Which of a trace's requests are its own, the trace says.
func (j *Job) schedule() schedule {
	if j.Trace != nil {
		return newSchedule(j.Workload, j.Trace.Operations(j.Workload.Operations))
	}
	return newSchedule(j.Workload, share(j.Workload.Operations, j.Index, j.Workload.Load.Workers))
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// expectedOperations is how many operations this worker will make, 0 if that isn't known. It is the
// same for all workers, by one more or less: which records are hot depends on it.
func (j *Job) expectedOperations() int64 {
	w := j.Workload
	switch s := j.schedule(); {
	case j.Trace != nil && w.Operations > 0:
		return s.operations
	case w.Operations > 0:
		return share(w.Operations, 0, w.Load.Workers)
	case w.Load.Rate > 0 && !j.Endless:
		return int64(rate.Of(&w.Load).Due(s.end) / float64(w.Load.Workers))
	}
	return 0
}

// newLaw is this worker's part of the arrivals.
func newLaw(load *plan.Load, i int, seed uint64) pace.Law {
	if load.Arrivals == plan.ArrivalsConstant {
		return pace.NewConstant(rate.Of(load), i, load.Workers)
	}
	return pace.NewPoisson(rate.Of(load), load.Workers, workload.NewRand(seed, "arrivals", i))
}

// newFit compares the arrivals with newLaw.
func newFit(load *plan.Load) *pace.Fit {
	return pace.NewFit(rate.Of(load), load.Rate, load.Workers, load.Arrivals == plan.ArrivalsConstant)
}
