package decide

import (
	"slices"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// That the object of a fault is gone doesn't say that the fault is over: somebody may have removed it by force, or with
// the definition of its kind. A fault that leaves rules is in doubt until each of its pods is gone, or was seen without
// its rules.

// doubtPatience is how long after a measurement a fault in doubt is looked at again before it is named: a request may
// fail once, and Chaos Mesh may just be changing the pod for another fault.
const doubtPatience = 10 * time.Second

// measuredFor is how long a workload's measurement has been over.
func measuredFor(o *state.Observed, w *plan.Workload) time.Duration {
	measured := status.WorkloadCondition(o.Run, w.Name, v1alpha1.ConditionMeasured)
	if measured == nil {
		return 0
	}
	return o.Now.Sub(measured.LastTransitionTime.Time)
}

// isDoubtful says that a fault leaves rules, was never seen to be over, and has no object that tells of it.
func isDoubtful(o *state.Observed, name string) bool {
	noted := status.FindFault(o.Run, name)
	begun := len(status.SidesOf(noted).Targets) > 0
	return leavesRules(o, name) && begun && noted.State != v1alpha1.FaultHealed && !o.Faults[name].Exists
}

// doubtAsks is what must be asked before anybody can say whether a fault is over.
func doubtAsks(o *state.Observed, name string) (state.Question, bool) {
	switch {
	case !isDoubtful(o, name):
		return "", false
	case o.Asked.Pods == nil:
		return state.AskPods, true
	case o.Asked.Rules == nil && !podsGone(o, name):
		return state.AskRules, true
	}
	return "", false
}

// mayBeAtWork says that nobody knows that the fault is over, although no object of it is seen.
func mayBeAtWork(o *state.Observed, name string) bool {
	return isDoubtful(o, name) && (o.Asked.Pods == nil || len(podsWithRules(o, name)) > 0)
}

// podsWithRules are the pods that may have rules of the fault.
func podsWithRules(o *state.Observed, name string) []string {
	noted := status.FindFault(o.Run, name)
	return slices.DeleteFunc(status.SidesOf(noted).All(), func(pod string) bool {
		rules := o.Asked.Rules[name][pod].Rules
		// Chaos Mesh makes its record of a pod before it changes anything there. So where an injection was never
		// seen, and there is no record, there is no rule.
		never := rules == faults.RulesUntold && noted.State != v1alpha1.FaultInjected
		return podGone(o, name, pod) || rules == faults.RulesGone || never
	})
}

// inDoubt names the faults that may have left rules in their pods, although no object of them is seen.
func inDoubt(o *state.Observed) []string {
	var names []string
	for i := range o.Run.Status.Faults {
		if name := o.Run.Status.Faults[i].Name; mayBeAtWork(o, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// doubt says of a fault in doubt where it may be at work, why, and what helps.
func doubt(o *state.Observed, name string) string {
	pods := podsWithRules(o, name)
	why := "nobody has looked"
	if len(pods) > 0 {
		switch remains := o.Asked.Rules[name][pods[0]]; {
		case remains.Rules == faults.RulesThere:
			why = "its object is gone, and Chaos Mesh's record of " + pods[0] + " still has its rules"
		case remains.Rules == faults.RulesUntold:
			why = "its object is gone, and so is Chaos Mesh's record of the rules in " + pods[0]
		case remains.Trouble != "":
			why = "its object is gone, and of " + pods[0] + " nothing is known: " + remains.Trouble
		}
	}
	return atWork(name, pods) + ": " + why + "; delete these pods, and its rules go with them"
}
