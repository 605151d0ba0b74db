package read

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// endedEarly is when a measurement ended early, since the results server had no room for more: at its last full second
// before the first worker was told so. It is 0 if the measurement didn't end early.
func endedEarly(w *plan.Workload, start instant.Unix, workers []*telemetry.Worker) (early instant.Unix) {
	for _, worker := range workers {
		if at := instant.Unix(worker.Finish.CutUnixNanos); at > 0 && (early == 0 || at < early) {
			early = at
		}
	}
	if early == 0 {
		return 0
	}
	begin := start.Plus(w.Load.WarmupMillis * 1_000_000)
	return begin.Plus(max(0, early.Since(begin)) / instant.NanosPerSecond * instant.NanosPerSecond)
}

// missing says what a measurement that ended early lacks; empty if it lacks nothing.
func missing(w *plan.Workload, measuredMicros int64) string {
	switch {
	case w.DurationMillis == 0:
		return fmt.Sprintf("%d s were measured, and not all of the %d operations made", measuredMicros/1_000_000, w.Operations)
	case measuredMicros < w.DurationMillis*1000:
		return fmt.Sprintf("%d of %d s were measured", measuredMicros/1_000_000, w.DurationMillis/1000)
	}
	return ""
}
