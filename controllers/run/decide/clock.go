package decide

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/plan"
)

// decideUnknownClock waits at a measurement's end for the results server's time: an injection can't be
// noted without it.
func decideUnknownClock(o *state.Observed, w *plan.Workload) (d Decision, waits bool) {
	switch {
	case !o.ServerNow.IsZero() || !HasFaults(o.Plan, w.Name):
		return Decision{}, false
	case clockUnknownFor(o, w.Name) > ClockDeadline:
		return failClockUnknown(w.Name, servertime.ErrUnknown.Error()), true
	}
	d = wait(status.ReasonClockUnknown, servertime.ErrUnknown.Error(), time.Second)
	d.Workload, d.Condition = w.Name, v1alpha1.ConditionMeasured
	return d, true
}

// clockUnknownFor is how long the clocks could not be compared after a workload's end. Time in which no
// controller ran doesn't count, since nobody has tried then.
func clockUnknownFor(o *state.Observed, workload string) time.Duration {
	noted := status.WorkloadCondition(o.Run, workload, v1alpha1.ConditionMeasured)
	if noted == nil || noted.Reason != status.ReasonClockUnknown {
		return 0
	}
	began := noted.LastTransitionTime.Time
	if o.Began.After(began) {
		began = o.Began
	}
	return o.Now.Sub(began)
}

func failClockUnknown(workload, why string) Decision {
	return Fail(status.ReasonClockUnknown, "the controller's clock could not be compared with the results server's within %s after the end of workload %s, so nobody can say when its faults were injected: %s",
		ClockDeadline, workload, why)
}

// decideClock ends a run whose faults can't be timed any more. When they are due was said on the results
// server's clock, and that clock has moved. A measurement whose faults are over goes on: the report judges
// it by what its workers saw of the clocks.
func decideClock(o *state.Observed, w *plan.Workload) (d Decision, moved bool) {
	fault, _ := missedFault(o, w)
	if o.ClockMoved == 0 || fault == "" {
		return Decision{}, false
	}
	return Fail(status.ReasonClockStepped, "the clocks of the results server and of the controller moved apart by %s while workload %s was measured, so nobody can say any more when fault %s is due: one of them was set, or its machine stood still",
		o.ClockMoved.Abs().Round(time.Second), w.Name, fault), true
}

// decideMeasured ends a measurement. Where it had faults, the clocks are compared once more, since nobody
// would see any more what happened to them after the last comparison.
func decideMeasured(o *state.Observed, w *plan.Workload) Decision {
	measured := Decision{
		Verb: DoSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionMeasured,
		Reason: "Measured", Message: "the results server has everything that the workers recorded",
	}
	compared := o.Asked.Clocks
	switch {
	case !HasFaults(o.Plan, w.Name):
		return measured
	case compared == nil:
		return ask(state.AskClocks)
	case compared.Trouble == "":
		return measured
	}
	why := fmt.Sprintf("comparing the clocks at the end of workload %s: %s", w.Name, compared.Trouble)
	if clockUnknownFor(o, w.Name) > ClockDeadline {
		return failClockUnknown(w.Name, why)
	}
	d := wait(status.ReasonClockUnknown, why, time.Second)
	d.Workload, d.Condition = w.Name, v1alpha1.ConditionMeasured
	return d
}

// startedAnew is how long a controller that has just started may take to learn the server's time. A fault that is healed
// before has no end that anybody noted, and isn't valid.
const startedAnew = 10 * time.Second

// healMeanwhile asks once for the healing of each fault that is noted as injected, while a measurement that is over
// waits for the clocks to be compared. That may take minutes, in which a fault that lasts would go on.
func healMeanwhile(o *state.Observed, w *plan.Workload, d Decision) Decision {
	if d.Verb != DoWait || o.ServerNow.IsZero() && clockUnknownFor(o, w.Name) < startedAnew {
		return d
	}
	for _, fault := range o.Plan.Faults {
		if fault.Workload != w.Name || status.FindFault(o.Run, fault.Name).State != v1alpha1.FaultInjected || !o.Faults[fault.Name].Exists {
			continue
		}
		if first, busy := healFault(o, fault); busy && first.Verb != DoWait && !isStubborn(o, first) {
			return first
		}
	}
	return d
}
