package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	noted := workloadCondition(o.Run, w.Name, v1alpha1.ConditionMeasured)
	tried := noted != nil && noted.Reason == reasonClockUnknown
	switch {
	case tried && o.Now.Sub(noted.LastTransitionTime.Time) > clockDeadline:
		return fail(reasonClockUnknown, "nobody can say when the faults of workload %s were injected: its clock and the results server's could not be compared within %s after its end: %s",
			w.Name, clockDeadline, noted.Message), true
	case !o.ServerNow.IsZero() || !hasFaults(o.Plan, w.Name):
		return decision{}, false
	}
	d = wait(reasonClockUnknown, errClockUnknown.Error(), time.Second)
	d.Workload, d.Condition = w.Name, v1alpha1.ConditionMeasured
	return d, true
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

// noteMeasured says that a measurement is over. Where it had faults, the controller compares
// its clock once more: what happened to it since the last time would not be seen any more.
func (r *Reconciler) noteMeasured(ctx context.Context, o *observed, d decision) error {
	if hasFaults(o.Plan, d.Workload) {
		if err := r.time.ask(ctx, r.Results); err != nil {
			d.Reason, d.Message = reasonClockUnknown, stable(fmt.Errorf("comparing the clocks at the end of workload %s: %w", d.Workload, err))
			setWorkload(o.Run, d, metav1.ConditionUnknown)
			return err
		}
		widenFaults(o, d.Workload, r.time.off())
	}
	setWorkload(o.Run, d, metav1.ConditionTrue)
	return nil
}

// widenFaults gives the injections of a workload as their error how far the clocks moved
// apart: nobody can say whether that was before an injection was stamped or after it. The
// report finds such a bound too wide, unless it is small.
func widenFaults(o *observed, workload string, off time.Duration) {
	if off == 0 {
		return
	}
	for _, fault := range o.Plan.Faults {
		if fault.Workload != workload {
			continue
		}
		status := ensureFault(o.Run, fault.Name)
		status.ClockBoundNanos = max(status.ClockBoundNanos, off.Nanoseconds())
	}
}
