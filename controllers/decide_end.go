package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// decideFailing brings a failed run to its end: what was measured is still reported, and
// all is torn down.
func decideFailing(o *observed) decision {
	if measured(o.Run) && meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionReported) == nil && o.Plan != nil {
		// The workers ship what they have when they are told to end.
		switch {
		case len(o.Jobs) > 0:
			return decision{Verb: doStopWorkers, After: time.Second}
		case o.Workers > 0 && since(o, conditionFailing) < time.Minute:
			return wait("StoppingWorkers", "waiting until the workers have ended", time.Second)
		}
		return decision{Verb: doCollect}
	}
	return decideTeardown(o, decision{Verb: doFinish, Condition: v1alpha1.ConditionFailed})
}

// decideLetGo is for a namespace that is being deleted: faults are healed, the rest goes
// with the namespace.
func decideLetGo(o *observed) decision {
	for name, state := range o.Faults {
		if state.Exists && !state.Deleting {
			return decision{Verb: doHealFault, Fault: name}
		}
	}
	return decision{Verb: doRelease}
}

// decideTeardown removes what is left, then does what comes after. Past its deadline it
// lets the queue go on and names what is stuck.
func decideTeardown(o *observed, then decision) decision {
	cleaned := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionCleanedUp)
	switch {
	case len(o.Left) == 0 && o.Plan == nil && o.Store.Release != releaseDeployed && o.Store.Release != releaseBroken:
		if cleaned == nil || cleaned.Status != "True" {
			if then.Verb == doRelease {
				return then
			}
			return decision{Verb: doNoteGone, Reason: "AllGone", Message: "nothing that the run created is left"}
		}
		return then
	case cleaned != nil && cleaned.Reason == "Retained" && then.Verb == doFinish:
		return then
	case then.Verb == doRelease && o.Now.Sub(o.Run.DeletionTimestamp.Time) > teardownDeadline(o.Run):
		return then // a finalizer must not hang for ever
	case cleaned != nil && cleaned.Reason == "TimedOut" && then.Verb == doFinish:
		return then
	case cleaned != nil && cleaned.Reason == "TearingDown" && then.Verb == doFinish &&
		o.Now.Sub(cleaned.LastTransitionTime.Time) > teardownDeadline(o.Run):
		return decision{Verb: doNoteGone, Reason: "TimedOut", Message: "still there: " + list(o.Left, 8)}
	default:
		return decision{Verb: doTearDown, Condition: v1alpha1.ConditionCleanedUp, Reason: "TearingDown", After: 2 * time.Second}
	}
}

func teardownDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Teardown.Or(5 * time.Minute)
}
