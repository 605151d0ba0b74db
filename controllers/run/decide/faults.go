package decide

import (
	"sort"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
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
			healing = append(healing, decided)
		case busy:
			return healFirst(o, healing, decided), true
		case decided.After > 0 && (next == 0 || decided.After < next):
			next = decided.After
		}
	}
	if len(healing) > 0 {
		return nextRemoval(o, healing), true
	}
	return Decision{After: next}, false
}

// healFirst chooses between the removals of earlier faults and what a later one needs. A removal that was not tried
// yet comes before an injection, which may have to wait for it: a store that is cut in two may have no leader to hit.
// A removal that is refused or held on to must not make the later fault late.
func healFirst(o *state.Observed, removals []Decision, later Decision) Decision {
	switch later.Verb {
	case DoAsk, DoIntendFault, DoInjectFault:
	default:
		return later
	}
	if len(removals) == 0 {
		return later
	}
	if removal := nextRemoval(o, removals); !isStubborn(o, removal) {
		return removal
	}
	return later
}

// isStubborn says of a removal that it was tried before, in vain.
func isStubborn(o *state.Observed, removal Decision) bool {
	return removal.Verb == DoForceFault || removal.Verb == DoHealFault && !o.Faults[removal.Fault].RefusedSince.IsZero()
}

func decideFault(o *state.Observed, fault plan.Fault, due time.Time) (Decision, bool) {
	noted := status.FindFault(o.Run, fault.Name)
	object, sides := o.Faults[fault.Name], status.SidesOf(noted)
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
		case object.Injected && !object.Sides.Equal(sides):
			return Fail(status.ReasonFaultNotInjected, "fault %s was made for pod %q, and not for its target %q: what is noted of the members is of another moment", fault.Name, object.Sides, sides), true
		case object.Injected:
			return Decision{Verb: DoNoteInjected, Fault: fault.Name}, true
		case overdue > deadline:
			return Fail(status.ReasonFaultNotInjected, "fault %s could not be injected within %s%s", fault.Name, deadline, message.Because(message.FirstOf(object.Message, noted.Message))), true
		case object.Exists:
			return Decision{After: deadline - overdue + time.Millisecond}, false
		case o.ServerNow.UnixNano()-noted.InjectedAfterUnixNanos > int64(intentFresh) || len(sides.Targets) == 0:
			return decideIntend(o, fault), true
		case fault.Lasts() > 0 && o.Asked.Pods == nil:
			return ask(state.AskPods), true
		}
		return Decision{Verb: DoInjectFault, Fault: fault.Name}, true
	case v1alpha1.FaultInjected:
		if left := lastsFor(o, fault); left > 0 {
			return Decision{After: left}, false
		}
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
