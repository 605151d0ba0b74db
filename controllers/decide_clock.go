package controllers

import (
	"fmt"
	"slices"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// reasonClockStepped is the report's word for the same thing.
const reasonClockStepped = "ClockStepped"

// reasonClockUnknown is of Measured, while an injection can't be given its time, and of a run
// that failed for it.
const reasonClockUnknown = "ClockUnknown"

// clockDeadline bounds the wait for the results server's time once the workers are done.
const clockDeadline = 5 * time.Minute

// decideUnknownClock is for a measurement that is over, all but an injection's time on the
// results server's clock, which is waited for.
func decideUnknownClock(o *observed, w *plan.Workload) (d decision, waits bool) {
	switch {
	case !o.ServerNow.IsZero() || !hasFaults(o.Plan, w.Name):
		return decision{}, false
	case clockUnknownFor(o, w.Name) > clockDeadline:
		return failClockUnknown(w.Name, errClockUnknown.Error()), true
	}
	d = wait(reasonClockUnknown, errClockUnknown.Error(), time.Second)
	d.Workload, d.Condition = w.Name, v1alpha1.ConditionMeasured
	return d, true
}

// clockUnknownFor is how long the clocks could not be compared after a workload's end, as far
// as the deadline is concerned: a controller that was away has not tried.
func clockUnknownFor(o *observed, workload string) time.Duration {
	noted := workloadCondition(o.Run, workload, v1alpha1.ConditionMeasured)
	if noted == nil || noted.Reason != reasonClockUnknown {
		return 0
	}
	began := noted.LastTransitionTime.Time
	if o.Began.After(began) {
		began = o.Began
	}
	return o.Now.Sub(began)
}

func failClockUnknown(workload, why string) decision {
	return fail(reasonClockUnknown, "the controller's clock could not be compared with the results server's within %s after the end of workload %s, so nobody can say when its faults were injected: %s",
		clockDeadline, workload, why)
}

func hasFaults(p *plan.Plan, workload string) bool {
	return slices.ContainsFunc(p.Faults, func(f plan.Fault) bool { return f.Workload == workload })
}

// decideClock ends a run whose faults can't be timed any more: when they are due was said on
// the results server's clock, which is another one now. A measurement without faults to come
// goes on; the report judges it by what its workers saw of the clocks.
func decideClock(o *observed, w *plan.Workload) (d decision, moved bool) {
	fault, _ := missedFault(o, w)
	if o.ClockMoved == 0 || fault == "" {
		return decision{}, false
	}
	return fail(reasonClockStepped, "the clocks of the results server and of the controller moved apart by %s while workload %s was measured, so nobody can say any more when fault %s is due: one of them was set, or its machine stood still",
		o.ClockMoved.Abs().Round(time.Second), w.Name, fault), true
}

// decideMeasured ends a measurement. Where it had faults, the clocks are compared once more: what
// happened to them since the last time would not be seen any more.
func decideMeasured(o *observed, w *plan.Workload) decision {
	measured := decision{
		Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionMeasured,
		Reason: "Measured", Message: "the results server has everything that the workers recorded",
	}
	compared := o.Asked.Clocks
	switch {
	case !hasFaults(o.Plan, w.Name):
		return measured
	case compared == nil:
		return ask(askClocks)
	case compared.Trouble == "":
		return measured
	}
	why := fmt.Sprintf("comparing the clocks at the end of workload %s: %s", w.Name, compared.Trouble)
	if clockUnknownFor(o, w.Name) > clockDeadline {
		return failClockUnknown(w.Name, why)
	}
	d := wait(reasonClockUnknown, why, time.Second)
	d.Workload, d.Condition = w.Name, v1alpha1.ConditionMeasured
	return d
}
