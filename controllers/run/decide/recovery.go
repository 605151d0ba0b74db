package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

// WholeLook is how often the observer is asked while a workload waits. What it says may differ
// each time, and is written into the status.
const WholeLook = time.Second

// decideWhole lets a workload wait, before anything of it begins, until the store is whole again
// after the faults of the workload before. That those are healed says that their objects are gone. A
// killed member may still be starting, or the others may still take it in, and the next workload would
// measure that with no fault in its list. Where it takes too long the run goes on, and the report
// judges by what the observer saw when the measurement began.
//
// At rest it takes one look, and so no time. waits is false when there is nothing to wait for.
func decideWhole(o *state.Observed, w *plan.Workload) (d Decision, waits bool) {
	before := faultyBefore(o.Plan, w)
	whole := status.WorkloadCondition(o.Run, w.Name, v1alpha1.ConditionStoreWhole)
	if before == "" || status.WorkloadIs(o.Run, w.Name, v1alpha1.ConditionLoaded) || whole != nil && whole.Status != metav1.ConditionUnknown {
		return Decision{}, false
	}
	deadline := deployDeadline(o.Run)
	left := deadline
	if whole != nil {
		left -= o.Now.Sub(whole.LastTransitionTime.Time)
	}
	sample, after := o.Asked.Sample, WholeLook
	if left > 0 {
		after = min(after, left)
	}
	d = Decision{Workload: w.Name, Condition: v1alpha1.ConditionStoreWhole, After: after}
	switch {
	case sample == nil && left > 0 && sampledWithin(o, WholeLook):
		return Decision{Verb: DoWait, After: after}, true
	case sample == nil:
		return ask(state.AskSample), true
	case sample.Trouble == "" && sample.Line.Steady:
		d.Verb, d.Reason, d.Message = DoSetWorkload, status.ReasonWhole, "the observer sees all members well"
	case left > 0:
		d.Verb, d.Reason, d.Message = DoWait, status.ReasonRecovering, recovering(before)+message.Because(whyNotWhole(o))
	default:
		d.Verb, d.Reason, d.After = DoSetWorkload, status.ReasonNotWhole, 0
		d.Message = fmt.Sprintf("the faults of workload %s left a store that is not whole again after %s%s; the workload goes on, and is valid only if the store is whole when its measurement begins (spec.timeouts.deploy says how long is waited)",
			before, deadline, message.Because(whyNotWhole(o)))
	}
	return d, true
}

// whyNotWhole is what the observer was asked for in this pass.
func whyNotWhole(o *state.Observed) string {
	if o.Asked.Sample.Trouble != "" {
		return "the observer gave no look at the members: " + o.Asked.Sample.Trouble
	}
	return unsteady(o.Run, o.Asked.Sample.Line)
}

func recovering(before string) string {
	return "waiting until the store is whole again after the faults of workload " + before
}

// faultyBefore is the workload right before this one, if it has faults; "" otherwise.
func faultyBefore(p *plan.Plan, w *plan.Workload) string {
	before := ""
	for i := range p.Workloads {
		if p.Workloads[i].Name == w.Name {
			break
		}
		before = p.Workloads[i].Name
	}
	for _, fault := range p.Faults {
		if fault.Workload == before {
			return before
		}
	}
	return ""
}
