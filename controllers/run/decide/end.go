package decide

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// decideFailing brings a failed run to its end: what was measured is still reported, and
// all is torn down.
func decideFailing(o *state.Observed) Decision {
	if status.Measured(o.Run) && status.ToReport(o.Run) && o.Plan != nil {
		if name, found := faultToEnd(o); found {
			if fault, planned := FindPlanned(o.Plan, name); planned && beginsToEnd(o, fault) {
				return endFault(o, name)
			}
			return Decision{Verb: DoHealFault, Fault: name}
		}
		// The workers ship what they have when they are told to end.
		tried := min(Since(o, status.ConditionFailing), o.Now.Sub(o.Began))
		switch {
		case jobsToStop(o) && tried < stopDeadline:
			return Decision{Verb: DoStopWorkers, After: time.Second}
		case (o.Workers > 0 || len(o.Jobs) > 0) && tried < stopDeadline:
			return wait("StoppingWorkers", "waiting until the workers have ended", time.Second)
		}
		return Decision{Verb: DoCollect}
	}
	return decideTeardown(o, Decision{Verb: DoFinish, Condition: v1alpha1.ConditionFailed})
}

// faultToEnd names a fault whose object is there, and which nobody has tried to delete yet. Chaos Mesh may
// still be about to inject it, and a run that ends must not hit the store once more. The teardown tries
// again what refuses to go.
func faultToEnd(o *state.Observed) (name string, found bool) {
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		if object := o.Faults[name]; object.Exists && !object.Deleting && object.RefusedSince.IsZero() {
			return name, true
		}
	}
	return "", false
}

func jobsToStop(o *state.Observed) bool {
	for _, job := range o.Jobs {
		if !job.Deleting {
			return true
		}
	}
	return false
}

// decideLetGo is for a namespace that is being deleted: faults are healed, the rest goes
// with the namespace.
func decideLetGo(o *state.Observed) Decision {
	if question, open := openQuestion(o); open {
		return ask(question)
	}
	var removals []Decision
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		if d, busy := removeFault(o, name); busy {
			removals = append(removals, d)
		}
	}
	if len(removals) > 0 {
		return nextRemoval(o, removals)
	}
	return Decision{Verb: DoRelease}
}

// decideTeardown removes what is left, then does what comes after. Past its deadline it
// lets the queue go on and names what is stuck.
func decideTeardown(o *state.Observed, then Decision) Decision {
	if question, open := openQuestion(o); open {
		return ask(question)
	}
	cleaned := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionCleanedUp)
	late := triedFor(o, cleaned) > teardownDeadline(o.Run)
	switch {
	case allGone(o):
		if cleaned == nil || cleaned.Status != "True" {
			if then.Verb == DoRelease {
				return then
			}
			return noteAllGone
		}
		return then
	case status.Retains(o.Run) && cleaned != nil && cleaned.Reason == status.ReasonRetained:
		return then
	case status.Retains(o.Run) && cleaned != nil && len(StillThere(o)) == 0:
		return noteRetained(o.Run)
	case late && then.Verb == DoRelease:
		return then // a finalizer must not hang for ever
	case cleaned != nil && cleaned.Reason == status.ReasonTimedOut && then.Verb == DoFinish:
		return then
	case late:
		return Decision{Verb: DoNoteGone, Reason: status.ReasonTimedOut, Message: "still there: " + message.List(StillThere(o), 8) + message.Because(o.Memory.TeardownTrouble)}
	default:
		return Decision{Verb: DoTearDown, Condition: v1alpha1.ConditionCleanedUp, Reason: status.ReasonTearingDown, After: 2 * time.Second}
	}
}

func allGone(o *state.Observed) bool {
	return len(o.Left) == 0 && len(inDoubt(o)) == 0 && !o.PlanExists && o.Store.Release != state.ReleaseDeployed && o.Store.Release != state.ReleaseBroken
}

// StillThere names what is still to go.
func StillThere(o *state.Observed) []string {
	left := o.Left
	if status.Retains(o.Run) {
		left = o.LeftBesides
	}
	left = slices.Clone(left)
	for _, name := range inDoubt(o) {
		left = append(left, "rules of fault "+name)
	}
	return left
}

// noteRetained says that nothing but the store and its observer is left, and how to remove
// those.
func noteRetained(run *v1alpha1.BenchmarkRun) Decision {
	return Decision{Verb: DoNoteGone, Reason: status.ReasonRetained, Message: fmt.Sprintf(
		"the store is kept, as spec.retain asks: delete this BenchmarkRun to remove the release %s", names.RunID(run))}
}

var noteAllGone = Decision{Verb: DoNoteGone, Reason: status.ReasonAllGone, Message: status.AllGoneMessage}

// decideAfterEnd removes what a teardown past its deadline left behind. A pod on a dead Kubernetes node,
// for instance, goes when the node is back.
func decideAfterEnd(o *state.Observed) Decision {
	if status.Finished(o.Run) {
		return Decision{Verb: DoNothing}
	}
	if question, open := openQuestion(o); open {
		return ask(question)
	}
	switch {
	case allGone(o):
		return noteAllGone
	case status.Retains(o.Run) && len(StillThere(o)) == 0:
		return noteRetained(o.Run)
	}
	return Decision{Verb: DoTidy, After: leftLook}
}

// leftLook is how often it is tried again, if nothing else wakes the run.
const leftLook = 5 * time.Minute

// triedFor is how long the teardown has been tried. Time in which no controller ran doesn't count, and a
// deletion of the run gives the teardown its whole time again.
func triedFor(o *state.Observed, cleaned *metav1.Condition) time.Duration {
	if cleaned == nil || cleaned.Reason != status.ReasonTearingDown {
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
