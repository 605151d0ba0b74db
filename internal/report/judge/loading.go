package judge

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/read"
)

// Loading says why the figures of a loading may not be believed: what kept its loaders from their work. It is a closed
// loop, with the limits of a measurement. Seconds count from the loading's begin.
func Loading(l *read.Loaded, w *plan.Workload) []report.Reason {
	reasons := []report.Reason{}
	clock := instant.NewClock(&plan.Workload{}, l.Started, l.Ended)
	for _, loader := range l.Loaders {
		c := &condition{index: loader.Writer.Index}
		for i := range loader.Seconds {
			s := &loader.Seconds[i]
			c.stop(clock, s)
			if second := clock.SecondOf(s.Begin()); clock.Records(second) {
				c.add(second, max(1, int64(clock.SecondOf(s.At)-second)), s, w.Load.Threads)
			}
		}
		judgeCondition(c, func(reason string, seconds []instant.Second, format string, args ...any) {
			reasons = append(reasons, report.Reason{Reason: reason, Workload: w.Name, Message: fmt.Sprintf(format, args...), Seconds: indexes(seconds)})
		})
	}
	return WhileLoading(reasons)
}

// WhileLoading marks reasons as those of a load phase.
func WhileLoading(reasons []report.Reason) []report.Reason {
	for i := range reasons {
		reasons[i].Message = "while loading, " + reasons[i].Message
	}
	return reasons
}
