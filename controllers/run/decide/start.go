package decide

import (
	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

// decideStart posts the workload's start, for as long as may be tried.
func decideStart(o *state.Observed, w *plan.Workload) Decision {
	c := status.WorkloadCondition(o.Run, w.Name, v1alpha1.ConditionMeasured)
	if c == nil || o.Now.Sub(c.LastTransitionTime.Time) <= StartDeadline {
		return Decision{Verb: DoStart, Workload: w.Name}
	}
	reason := "StartTimedOut"
	if c.Reason == status.ReasonDiskFull {
		reason = status.ReasonDiskFull
	}
	return Fail(reason, "workload %s could not be started within %s%s", w.Name, StartDeadline, message.Because(c.Message))
}
