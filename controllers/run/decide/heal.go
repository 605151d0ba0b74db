package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

const (
	// HealDeadline is how long Chaos Mesh may hold on to a fault that is being deleted; a
	// daemon that is dead holds on for ever.
	HealDeadline = time.Minute
	// ForceDeadline bounds the attempts to remove a fault's object by force. They count from when its
	// deletion was seen. It bounds the attempts to delete it too, which count from the first that was
	// refused.
	ForceDeadline = 2 * time.Minute
)

// lastsFor is for how long a fault is to last from now on. It is 0 for a fault that is to be healed now, and for one
// that is over.
func lastsFor(o *state.Observed, fault plan.Fault) time.Duration {
	noted, object := status.FindFault(o.Run, fault.Name), o.Faults[fault.Name]
	if fault.Lasts() == 0 || !object.Exists || object.Deleting || noted.EndedAfterUnixNanos != 0 {
		return 0
	}
	return time.Unix(0, noted.InjectedBeforeUnixNanos).Add(fault.Lasts()).Sub(o.ServerNow)
}

// healFault ends a fault: its object is deleted, and gone. busy is false when it is over, or
// when it is given up.
func healFault(o *state.Observed, fault plan.Fault) (d Decision, busy bool) {
	if beginsToEnd(o, fault) {
		return endFault(o, fault.Name), true
	}
	if d, busy := removeFault(o, fault.Name); busy {
		return d, true
	}
	unknown := fault.Lasts() > 0 && o.UnlistedFaults[fault.Name]
	if o.Faults[fault.Name].Exists || unknown && !leavesRules(o, fault.Name) || status.FindFault(o.Run, fault.Name).State != v1alpha1.FaultInjected {
		return Decision{}, false
	}
	switch question, asks := doubtAsks(o, fault.Name); {
	case asks:
		return ask(question), true
	case mayBeAtWork(o, fault.Name):
		return Decision{}, false
	}
	return Decision{Verb: DoNoteHealed, Fault: fault.Name}, true
}

// beginsToEnd says that a fault that lasts is about to be healed, and that this isn't noted yet. Where the server's
// time isn't known, the fault is healed all the same, and nobody knows when it ended.
func beginsToEnd(o *state.Observed, fault plan.Fault) bool {
	return endIsOpen(o, fault) && !o.ServerNow.IsZero()
}

// endIsOpen says that a fault that lasts is at work, and that nobody has noted its end.
func endIsOpen(o *state.Observed, fault plan.Fault) bool {
	noted, object := status.FindFault(o.Run, fault.Name), o.Faults[fault.Name]
	return fault.Lasts() > 0 && noted.State == v1alpha1.FaultInjected && noted.EndedAfterUnixNanos == 0 &&
		object.Exists && !object.Deleting
}

// awaitsClock says that the healing of a fault waits for the server's time, which a controller that has just started
// doesn't know yet. The workload has been measured.
func awaitsClock(o *state.Observed, w *plan.Workload, fault plan.Fault) bool {
	return endIsOpen(o, fault) && o.ServerNow.IsZero() && min(measuredFor(o, w), o.Now.Sub(o.Began)) < startedAnew
}

// endFault notes when a fault's healing is asked for, before that is done, and whether the fault was whole.
func endFault(o *state.Observed, name string) Decision {
	if o.Asked.Pods == nil {
		return ask(state.AskPods)
	}
	d, object := Decision{Verb: DoEndFault, Fault: name}, o.Faults[name]
	switch replaced := object.Pods.Replaced(o.Asked.Pods); {
	case object.Pods == nil:
		d.Reason, d.Message = v1alpha1.FaultPodReplaced, "its object doesn't tell for which pods it was made, so nobody knows whether one of them was replaced"
	case len(replaced) > 0:
		d.Reason, d.Message = v1alpha1.FaultPodReplaced, fmt.Sprintf("while it lasted, pods were replaced, and the new ones escaped it: %s", strings.Join(replaced, ", "))
	case !object.Injected:
		d.Reason, d.Message = v1alpha1.FaultEndedEarly, "it was over before its healing was asked for"
	}
	return d
}

// removeFault removes a fault's object. busy is false when it is gone. It is false as well when neither
// asking nor force removes it within the deadline: a policy may refuse that, or Chaos Mesh's webhook may
// be gone. Then the teardown tries again.
func removeFault(o *state.Observed, name string) (d Decision, busy bool) {
	object := o.Faults[name]
	if !object.Exists || HeldFor(o, object) > ForceDeadline {
		return Decision{}, false
	}
	return Removal(o, name), true
}

// Removal is what removes an object of a fault that is there, however long that was tried: DoHealFault, DoForceFault,
// or DoWait.
func Removal(o *state.Observed, name string) Decision {
	object := o.Faults[name]
	held, until := HeldFor(o, object), HealDeadline
	switch {
	case !object.Deleting:
		return Decision{Verb: DoHealFault, Fault: name}
	case held > HealDeadline && mayForce(o, name):
		return Decision{Verb: DoForceFault, Fault: name}
	case held > HealDeadline:
		until = ForceDeadline
	}
	return wait("Healing", fmt.Sprintf("waiting until Chaos Mesh lets go of fault %s", name), max(0, until-held)+time.Second)
}

// nextRemoval chooses among the removals of faults, of which there is at least one. What has not been
// tried comes first. Then come those that are refused or held on to, by turns, so that the deadlines of
// all run at the same time. Where all wait, the shortest wait is chosen.
func nextRemoval(o *state.Observed, all []Decision) Decision {
	var stubborn []Decision
	soonest := all[0]
	for _, d := range all {
		switch {
		case isStubborn(o, d):
			stubborn = append(stubborn, d)
		case d.Verb != DoWait:
			return d
		case d.After < soonest.After:
			soonest = d
		}
	}
	if len(stubborn) > 0 {
		return stubborn[o.Now.Unix()%int64(len(stubborn))]
	}
	return soonest
}

// HeldFor is how long an object has been waiting for its deletion, or for being let delete.
func HeldFor(o *state.Observed, object faults.State) time.Duration {
	switch {
	case object.Deleting:
		return o.Now.Sub(object.DeletingSince)
	case !object.RefusedSince.IsZero():
		return o.Now.Sub(object.RefusedSince)
	}
	return 0
}
