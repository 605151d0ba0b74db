package controllers

import (
	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// failFaults says of the faults of a run that fails what is known of them. One that was not
// injected won't be; one that was not even intended says so where faults are what the run fails for.
// One that is injected, and could not be given its time any more, was so at its measurement's end at
// the latest; the widest bound says that this is all that is known. The same bound is for those that
// have their time, where the clocks could not be compared since.
func failFaults(o *observed, d decision) {
	forFaults := d.Reason == reasonFaultNotInjected || d.Reason == reasonClockStepped || d.Reason == reasonClockUnknown
	for _, fault := range o.Plan.Faults {
		if workloadIs(o.Run, fault.Workload, v1alpha1.ConditionMeasured) {
			continue // nothing is unknown of it
		}
		state, object := findFault(o.Run, fault.Name).State, o.faultObject(fault.Name)
		untold := state == "" && forFaults || state == v1alpha1.FaultIntended
		if !untold && d.Reason != reasonClockUnknown {
			continue
		}
		status := ensureFault(o.Run, fault.Name)
		switch {
		case untold && !object.Injected:
			status.State = v1alpha1.FaultNotInjected
			say(status, "", d.Message)
			continue
		case untold:
			noteWhatWasHit(o, status, object.Pod)
			w, _ := o.Plan.FindWorkload(fault.Workload)
			end := plan.Fault{AtMillis: w.DurationMillis + w.Load.CooldownMillis}
			status.State = v1alpha1.FaultInjected
			say(status, "", "it was injected, and not given its time: "+d.Message)
			status.InjectedBeforeUnixNanos = max(status.InjectedAfterUnixNanos,
				faultDue(w, end, findWorkload(o.Run, w.Name).StartedAtUnixNanos).UnixNano())
		}
		status.ClockBoundNanos = bundle.MaxClockBoundNanos
	}
}

// noteWhatWasHit forgets what is noted of another target than the pod that a fault was made for.
func noteWhatWasHit(o *observed, status *v1alpha1.FaultStatus, pod string) {
	if pod == status.Target {
		return
	}
	status.Target, status.LeaderBefore, status.TermBefore = "", "", 0
	if isMember(o.Plan, pod) {
		status.Target = pod
	}
	status.InjectedAfterUnixNanos = status.RequestedUnixNanos
}
