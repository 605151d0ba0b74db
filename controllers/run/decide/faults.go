package decide

import (
	"fmt"
	"sort"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

const (
	// lateLimit is how late a fault may still be injected, for instance after the
	// controller was away when it was due.
	lateLimit = 20 * time.Second
	// LateMark is from when on an injection is recorded as late.
	LateMark = 2 * time.Second
	// intentFresh is how long a chosen target stands. Roles move, so an intent that was not carried out at
	// once is made again.
	intentFresh = 2 * time.Second
	// HealDeadline is how long Chaos Mesh may hold on to a fault that is being deleted; a
	// daemon that is dead holds on for ever.
	HealDeadline = time.Minute
	// ForceDeadline bounds the attempts to remove a fault's object by force. They count from when its
	// deletion was seen. It bounds the attempts to delete it too, which count from the first that was
	// refused.
	ForceDeadline = 2 * time.Minute
)

// decideFaults looks at the workload's faults in the order in which they are due. due is
// false when there is nothing to do now; After then says when to look again.
func decideFaults(o *state.Observed, w *plan.Workload, startUnixNanos int64) (d Decision, due bool) {
	var mine []plan.Fault
	for _, fault := range o.Plan.Faults {
		if fault.Workload == w.Name {
			mine = append(mine, fault)
		}
	}
	sort.SliceStable(mine, func(i, j int) bool { return mine[i].AtMillis < mine[j].AtMillis })
	var next time.Duration
	var healing []Decision
	for _, fault := range mine {
		decided, busy := decideFault(o, fault, FaultDue(w, fault, startUnixNanos))
		switch {
		case busy && (decided.Verb == DoHealFault || decided.Verb == DoForceFault):
			// An earlier fault that can't be healed must not make a later one late.
			healing = append(healing, decided)
		case busy:
			return decided, true
		case decided.After > 0 && (next == 0 || decided.After < next):
			next = decided.After
		}
	}
	if len(healing) > 0 {
		return nextRemoval(o, healing), true
	}
	return Decision{After: next}, false
}

func decideFault(o *state.Observed, fault plan.Fault, due time.Time) (Decision, bool) {
	noted := status.FindFault(o.Run, fault.Name)
	object := o.Faults[fault.Name]
	overdue := o.ServerNow.Sub(due)
	deadline := time.Duration(fault.DeadlineMillis) * time.Millisecond
	switch noted.State {
	case "":
		switch {
		case overdue < 0:
			return Decision{After: -overdue}, false
		case overdue > lateLimit:
			return Fail(status.ReasonFaultNotInjected, "fault %s was due %s ago and was not injected in time: it would no longer fit the schedule", fault.Name, overdue.Round(time.Second)), true
		}
		return decideIntend(o, fault), true
	case v1alpha1.FaultIntended:
		switch {
		case object.Injected && object.Pod != noted.Target:
			return Fail(status.ReasonFaultNotInjected, "fault %s was made for pod %q, and not for its target %q: what is noted of the members is of another moment", fault.Name, object.Pod, noted.Target), true
		case object.Injected:
			return Decision{Verb: DoNoteInjected, Fault: fault.Name}, true
		case overdue > deadline:
			return Fail(status.ReasonFaultNotInjected, "fault %s could not be injected within %s%s", fault.Name, deadline, message.Because(message.FirstOf(object.Message, noted.Message))), true
		case object.Exists:
			return Decision{After: deadline - overdue + time.Millisecond}, false
		case o.ServerNow.UnixNano()-noted.InjectedAfterUnixNanos > int64(intentFresh) || noted.Target == "":
			return decideIntend(o, fault), true
		}
		return Decision{Verb: DoInjectFault, Fault: fault.Name}, true
	case v1alpha1.FaultInjected:
		if d, busy := healFault(o, fault); busy && d.Verb != DoWait {
			return d, true
		}
	}
	return Decision{}, false
}

// missedFault names a fault of the workload that has not been injected, and why as far as
// is known. Once the workers are done, it would hit nothing.
func missedFault(o *state.Observed, w *plan.Workload) (name, why string) {
	for _, fault := range o.Plan.Faults {
		noted, object := status.FindFault(o.Run, fault.Name), o.Faults[fault.Name]
		if fault.Workload == w.Name && !object.Injected && (noted.State == "" || noted.State == v1alpha1.FaultIntended) {
			return fault.Name, message.FirstOf(object.Message, noted.Message)
		}
	}
	return "", ""
}

// healFault ends a fault: its object is deleted, and gone. busy is false when it is over, or
// when it is given up.
func healFault(o *state.Observed, fault plan.Fault) (d Decision, busy bool) {
	if d, busy := removeFault(o, fault.Name); busy {
		return d, true
	}
	if !o.Faults[fault.Name].Exists && status.FindFault(o.Run, fault.Name).State == v1alpha1.FaultInjected {
		return Decision{Verb: DoNoteHealed, Fault: fault.Name}, true
	}
	return Decision{}, false
}

// removeFault removes a fault's object. busy is false when it is gone. It is false as well when neither
// asking nor force removes it within the deadline: a policy may refuse that, or Chaos Mesh's webhook may
// be gone. Then the run goes on, and the teardown tries again. It may go on because the faults that there
// are, kills, end with their injection.
func removeFault(o *state.Observed, name string) (d Decision, busy bool) {
	object := o.Faults[name]
	held := HeldFor(o, object)
	switch {
	case !object.Exists || held > ForceDeadline:
		return Decision{}, false
	case !object.Deleting:
		return Decision{Verb: DoHealFault, Fault: name}, true
	case held > HealDeadline:
		return Decision{Verb: DoForceFault, Fault: name}, true
	}
	return wait("Healing", fmt.Sprintf("waiting until Chaos Mesh lets go of fault %s", name), HealDeadline-held+time.Second), true
}

// nextRemoval chooses among the removals of faults, of which there is at least one. What has not been
// tried comes first. Then come those that are refused or held on to, by turns, so that the deadlines of
// all run at the same time. Where all wait, the shortest wait is chosen.
func nextRemoval(o *state.Observed, all []Decision) Decision {
	var stubborn []Decision
	soonest := all[0]
	for _, d := range all {
		switch {
		case d.Verb == DoForceFault, d.Verb == DoHealFault && !o.Faults[d.Fault].RefusedSince.IsZero():
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
