package report

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/plan"
)

// judge says why the figures of a loading may not be believed: what kept its loaders from
// their work, by the limits of a measurement. It is a closed loop. Seconds count from its
// begin.
func (l *Loaded) judge(w *plan.Workload) []Reason {
	reasons := []Reason{}
	clock := newWorkloadClock(&plan.Workload{}, l.startedNanos, l.endedNanos)
	for _, loader := range l.loaders {
		c := &condition{index: loader.writer.Index}
		for i := range loader.seconds {
			s := &loader.seconds[i]
			c.stop(clock, s)
			if second := clock.secondOf(s.beginNanos()); clock.records(second) {
				c.add(second, max(1, clock.secondOf(s.atNanos)-second), s, w.Load.Threads)
			}
		}
		judgeCondition(c, func(reason string, seconds []int64, format string, args ...any) {
			reasons = append(reasons, Reason{Reason: reason, Workload: w.Name, Message: fmt.Sprintf(format, args...), Seconds: seconds})
		})
	}
	return whileLoading(reasons)
}

// whileLoading says of reasons that they are of a load phase.
func whileLoading(reasons []Reason) []Reason {
	for i := range reasons {
		reasons[i].Message = "while loading, " + reasons[i].Message
	}
	return reasons
}
