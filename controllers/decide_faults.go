package controllers

import (
	"fmt"
	"sort"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

const (
	// lateLimit is how late a fault may still be injected, for instance after the
	// controller was away when it was due.
	lateLimit = 20 * time.Second
	// lateMark is from when on an injection is recorded as late.
	lateMark = 2 * time.Second
	// intentFresh is how long a chosen target stands: roles move, so an intent that was
	// not carried out at once is made again.
	intentFresh = 2 * time.Second
	// healDeadline is how long Chaos Mesh may hold on to a fault that is being deleted; a
	// daemon that is dead holds on for ever.
	healDeadline = time.Minute
	// forceDeadline bounds the attempts to remove it by force, counted from the same time, and
	// those to delete it, counted from the first that was refused.
	forceDeadline = 2 * time.Minute
)

// faultDue is when a fault is due, on the results server's clock.
func faultDue(w *plan.Workload, fault plan.Fault, startUnixNanos int64) time.Time {
	return time.Unix(0, startUnixNanos).Add(time.Duration(w.Load.WarmupMillis+fault.AtMillis) * time.Millisecond)
}

// decideFaults looks at the workload's faults in the order in which they are due. due is
// false when there is nothing to do now; After then says when to look again.
func decideFaults(o *observed, w *plan.Workload, startUnixNanos int64) (d decision, due bool) {
	var mine []plan.Fault
	for _, fault := range o.Plan.Faults {
		if fault.Workload == w.Name {
			mine = append(mine, fault)
		}
	}
	sort.SliceStable(mine, func(i, j int) bool { return mine[i].AtMillis < mine[j].AtMillis })
	var next time.Duration
	var healing []decision
	for _, fault := range mine {
		decided, busy := decideFault(o, fault, faultDue(w, fault, startUnixNanos))
		switch {
		case busy && (decided.Verb == doHealFault || decided.Verb == doForceFault):
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
	return decision{After: next}, false
}

// reasonFaultNotInjected is why a run fails whose fault did not happen, or not in time.
const reasonFaultNotInjected = "FaultNotInjected"

func decideFault(o *observed, fault plan.Fault, due time.Time) (decision, bool) {
	status := findFault(o.Run, fault.Name)
	object := o.Faults[fault.Name]
	overdue := o.ServerNow.Sub(due)
	deadline := time.Duration(fault.DeadlineMillis) * time.Millisecond
	switch status.State {
	case "":
		switch {
		case overdue < 0:
			return decision{After: -overdue}, false
		case overdue > lateLimit:
			return fail(reasonFaultNotInjected, "fault %s was due %s ago and was not injected in time: it would no longer fit the schedule", fault.Name, overdue.Round(time.Second)), true
		}
		return decideIntend(o, fault), true
	case v1alpha1.FaultIntended:
		switch {
		case object.Injected && object.Pod != status.Target:
			return fail(reasonFaultNotInjected, "fault %s was made for pod %q, and not for its target %q: what is noted of the members is of another moment", fault.Name, object.Pod, status.Target), true
		case object.Injected:
			return decision{Verb: doNoteInjected, Fault: fault.Name}, true
		case overdue > deadline:
			return fail(reasonFaultNotInjected, "fault %s could not be injected within %s%s", fault.Name, deadline, because(firstOf(object.Message, status.Message))), true
		case object.Exists:
			return decision{After: deadline - overdue + time.Millisecond}, false
		case o.ServerNow.UnixNano()-status.InjectedAfterUnixNanos > int64(intentFresh) || status.Target == "":
			return decideIntend(o, fault), true
		}
		return decision{Verb: doInjectFault, Fault: fault.Name}, true
	case v1alpha1.FaultInjected:
		if d, busy := healFault(o, fault); busy && d.Verb != doWait {
			return d, true
		}
	}
	return decision{}, false
}

// missedFault names a fault of the workload that has not been injected, and why as far as
// is known. Once the workers are done, it would hit nothing.
func missedFault(o *observed, w *plan.Workload) (name, why string) {
	for _, fault := range o.Plan.Faults {
		status, object := findFault(o.Run, fault.Name), o.Faults[fault.Name]
		if fault.Workload == w.Name && !object.Injected && (status.State == "" || status.State == v1alpha1.FaultIntended) {
			return fault.Name, firstOf(object.Message, status.Message)
		}
	}
	return "", ""
}

// healFault ends a fault: its object is deleted, and gone. busy is false when it is over, or
// when it is given up.
func healFault(o *observed, fault plan.Fault) (d decision, busy bool) {
	if d, busy := removeFault(o, fault.Name); busy {
		return d, true
	}
	if !o.Faults[fault.Name].Exists && findFault(o.Run, fault.Name).State == v1alpha1.FaultInjected {
		return decision{Verb: doNoteHealed, Fault: fault.Name}, true
	}
	return decision{}, false
}

// removeFault gets rid of a fault's object. busy is false when it is gone, and when neither
// asking nor force removes it within the deadline, since a policy refuses that, say, or Chaos
// Mesh's webhook is gone: then the run goes on, and the teardown tries again. The kills that
// there are end with their injection.
func removeFault(o *observed, name string) (d decision, busy bool) {
	object := o.Faults[name]
	held := heldFor(o, object)
	switch {
	case !object.Exists || held > forceDeadline:
		return decision{}, false
	case !object.Deleting:
		return decision{Verb: doHealFault, Fault: name}, true
	case held > healDeadline:
		return decision{Verb: doForceFault, Fault: name}, true
	}
	return wait("Healing", fmt.Sprintf("waiting until Chaos Mesh lets go of fault %s", name), healDeadline-held+time.Second), true
}

// nextRemoval chooses among faults that are being removed, at least one: what has not been
// tried comes first, then what is refused or held on to, by turns, so that the deadlines of all
// run at the same time. Else the first of the waits is over.
func nextRemoval(o *observed, all []decision) decision {
	var stubborn []decision
	soonest := all[0]
	for _, d := range all {
		switch {
		case d.Verb == doForceFault, d.Verb == doHealFault && !o.Faults[d.Fault].RefusedSince.IsZero():
			stubborn = append(stubborn, d)
		case d.Verb != doWait:
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

// heldFor is how long an object has been waiting for its deletion, or for being let delete.
func heldFor(o *observed, object faults.State) time.Duration {
	switch {
	case object.Deleting:
		return o.Now.Sub(object.DeletingSince)
	case !object.RefusedSince.IsZero():
		return o.Now.Sub(object.RefusedSince)
	}
	return 0
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
