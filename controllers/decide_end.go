package controllers

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// decideFailing brings a failed run to its end: what was measured is still reported, and
// all is torn down.
func decideFailing(o *observed) decision {
	if measured(o.Run) && toReport(o.Run) && o.Plan != nil {
		if fault, found := faultToEnd(o); found {
			return decision{Verb: doHealFault, Fault: fault}
		}
		// The workers ship what they have when they are told to end.
		tried := min(since(o, conditionFailing), o.Now.Sub(o.Began))
		switch {
		case jobsToStop(o) && tried < stopDeadline:
			return decision{Verb: doStopWorkers, After: time.Second}
		case (o.Workers > 0 || len(o.Jobs) > 0) && tried < stopDeadline:
			return wait("StoppingWorkers", "waiting until the workers have ended", time.Second)
		}
		return decision{Verb: doCollect}
	}
	return decideTeardown(o, decision{Verb: doFinish, Condition: v1alpha1.ConditionFailed})
}

// toReport says that nothing was said yet about the report, but that it has to wait.
func toReport(run *v1alpha1.BenchmarkRun) bool {
	reported := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReported)
	return reported == nil || reported.Status == metav1.ConditionUnknown
}

// faultToEnd names a fault whose object is there, and which nobody has tried to delete yet: Chaos Mesh may
// still be about to inject it, and what a run ends for is no time for another fault. What refuses to go is
// tried again by the teardown.
func faultToEnd(o *observed) (name string, found bool) {
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		if object := o.Faults[name]; object.Exists && !object.Deleting && object.RefusedSince.IsZero() {
			return name, true
		}
	}
	return "", false
}

// stopDeadline is how long the workers of a failed run may take to end.
const stopDeadline = time.Minute

func jobsToStop(o *observed) bool {
	for _, job := range o.Jobs {
		if !job.Deleting {
			return true
		}
	}
	return false
}

// decideLetGo is for a namespace that is being deleted: faults are healed, the rest goes
// with the namespace.
func decideLetGo(o *observed) decision {
	var removals []decision
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		if d, busy := removeFault(o, name); busy {
			removals = append(removals, d)
		}
	}
	if len(removals) > 0 {
		return nextRemoval(o, removals)
	}
	return decision{Verb: doRelease}
}

// decideTeardown removes what is left, then does what comes after. Past its deadline it
// lets the queue go on and names what is stuck.
func decideTeardown(o *observed, then decision) decision {
	cleaned := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionCleanedUp)
	late := triedFor(o, cleaned) > teardownDeadline(o.Run)
	switch {
	case allGone(o):
		if cleaned == nil || cleaned.Status != "True" {
			if then.Verb == doRelease {
				return then
			}
			return noteAllGone
		}
		return then
	case retains(o.Run) && cleaned != nil && cleaned.Reason == reasonRetained:
		return then
	case retains(o.Run) && cleaned != nil && len(toRemove(o)) == 0:
		return noteRetained(o.Run)
	case late && then.Verb == doRelease:
		return then // a finalizer must not hang for ever
	case cleaned != nil && cleaned.Reason == reasonTimedOut && then.Verb == doFinish:
		return then
	case late:
		return decision{Verb: doNoteGone, Reason: reasonTimedOut, Message: "still there: " + list(toRemove(o), 8) + because(o.Memory.TeardownTrouble)}
	default:
		return decision{Verb: doTearDown, Condition: v1alpha1.ConditionCleanedUp, Reason: reasonTearingDown, After: 2 * time.Second}
	}
}

func allGone(o *observed) bool {
	return len(o.Left) == 0 && !o.PlanExists && o.Store.Release != releaseDeployed && o.Store.Release != releaseBroken
}

// toRemove names what is still to go.
func toRemove(o *observed) []string {
	if retains(o.Run) {
		return o.LeftBesides
	}
	return o.Left
}

// noteRetained says that nothing but the store and its observer is left, and how to remove
// those.
func noteRetained(run *v1alpha1.BenchmarkRun) decision {
	return decision{Verb: doNoteGone, Reason: reasonRetained, Message: fmt.Sprintf(
		"the store is kept, as spec.retain asks: delete this BenchmarkRun to remove the release %s", runID(run))}
}

// tearingMessage is what the condition says of a teardown, and begins with where one fails.
const tearingMessage = "removing what the run created"

var noteAllGone = decision{Verb: doNoteGone, Reason: reasonAllGone, Message: allGoneMessage}

// decideAfterEnd looks after what a teardown past its deadline left behind: a pod on a
// Kubernetes node that was dead goes when the node is back.
func decideAfterEnd(o *observed) decision {
	switch {
	case finished(o.Run):
		return decision{Verb: doNothing}
	case allGone(o):
		return noteAllGone
	case retains(o.Run) && len(toRemove(o)) == 0:
		return noteRetained(o.Run)
	}
	return decision{Verb: doTidy, After: leftLook}
}

// leftLook is how often it is tried again, if nothing else wakes the run.
const leftLook = 5 * time.Minute

// triedFor is how long the teardown has been tried, as far as the deadline is concerned: a
// controller that was away has not tried, and a deletion gives it its whole time again.
func triedFor(o *observed, cleaned *metav1.Condition) time.Duration {
	if cleaned == nil || cleaned.Reason != reasonTearingDown {
		return 0
	}
	began := cleaned.LastTransitionTime.Time
	if o.Began.After(began) {
		began = o.Began
	}
	if o.Memory.DeletedSince.After(began) {
		began = o.Memory.DeletedSince
	}
	return o.Now.Sub(began)
}

// leastTeardown is what even a deadline of nothing leaves to the attempt.
const leastTeardown = 30 * time.Second

func teardownDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return max(leastTeardown, run.Spec.Timeouts.Teardown.Or(5*time.Minute))
}
