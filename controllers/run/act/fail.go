package act

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// failing notes why the run fails, and what that means for its faults, so that the report can
// say so.
func failing(o *state.Observed, d decide.Decision) {
	status.SetCondition(o.Run, status.ConditionFailing, metav1.ConditionTrue, d.Reason, d.Message)
	if o.Plan != nil {
		failFaults(o, d)
	}
}

// failFaults says of the faults of a run that fails what is known of them. One that was not
// injected won't be; one that was not even intended says so where faults are what the run fails for.
// One that is injected, and could not be given its time any more, was so at its measurement's end at
// the latest; the widest bound says that this is all that is known. The same bound is for those that
// have their time, where the clocks could not be compared since.
func failFaults(o *state.Observed, d decide.Decision) {
	forFaults := d.Reason == status.ReasonFaultNotInjected || d.Reason == status.ReasonClockStepped || d.Reason == status.ReasonClockUnknown
	for _, fault := range o.Plan.Faults {
		if status.WorkloadIs(o.Run, fault.Workload, v1alpha1.ConditionMeasured) {
			continue // nothing is unknown of it
		}
		found, object := status.FindFault(o.Run, fault.Name).State, o.FaultObject(fault.Name)
		untold := found == "" && forFaults || found == v1alpha1.FaultIntended
		if !untold && d.Reason != status.ReasonClockUnknown {
			continue
		}
		noted := status.EnsureFault(o.Run, fault.Name)
		switch {
		case untold && !object.Injected:
			noted.State = v1alpha1.FaultNotInjected
			say(noted, "", d.Message)
			continue
		case untold:
			noteWhatWasHit(o, noted, object.Sides)
			status.NotePods(noted, object.Pods)
			w, _ := o.Plan.FindWorkload(fault.Workload)
			end := plan.Fault{AtMillis: w.DurationMillis + w.Load.CooldownMillis}
			noted.State = v1alpha1.FaultInjected
			say(noted, "", "it was injected, and not given its time: "+d.Message)
			noted.InjectedBeforeUnixNanos = max(noted.InjectedAfterUnixNanos,
				decide.FaultDue(w, end, status.FindWorkload(o.Run, w.Name).StartedAtUnixNanos).UnixNano())
			if fault.Lasts() > 0 {
				noted.EndedAfterUnixNanos = noted.InjectedAfterUnixNanos // it may be healed before the latest time of its injection
			}
		}
		noted.ClockBoundNanos = bundle.MaxClockBoundNanos
	}
}

// noteWhatWasHit forgets what is noted of other targets than the pods that a fault was made for.
func noteWhatWasHit(o *state.Observed, noted *v1alpha1.FaultStatus, hit faults.Sides) {
	if hit.Equal(status.SidesOf(noted)) {
		return
	}
	noted.LeaderBefore, noted.TermBefore = "", 0
	if !decide.AreMembers(o.Plan, hit) {
		hit = faults.Sides{}
	}
	status.SetSides(noted, hit)
	noted.InjectedAfterUnixNanos = noted.RequestedUnixNanos
}
