package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
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

// noteMeasured says that a measurement is over. Where it had faults, the controller compares
// its clock once more: what happened to it since the last time would not be seen any more. The
// deletions that were refused meanwhile are tried again, for as long as at first.
func (r *Reconciler) noteMeasured(ctx context.Context, o *observed, d decision) error {
	if hasFaults(o.Plan, d.Workload) {
		if err := r.time.ask(ctx, r.Results); err != nil {
			why := stable(fmt.Errorf("comparing the clocks at the end of workload %s: %w", d.Workload, err))
			if clockUnknownFor(o, d.Workload) > clockDeadline {
				failing(o, failClockUnknown(d.Workload, why))
				return nil
			}
			d.Reason, d.Message = reasonClockUnknown, why
			setWorkload(o.Run, d, metav1.ConditionUnknown)
			return err
		}
		widenFaults(o, d.Workload, r.time.off())
		for _, fault := range o.Plan.Faults {
			if fault.Workload == d.Workload {
				o.Memory.forgetRefusal(fault.Name)
			}
		}
	}
	setWorkload(o.Run, d, metav1.ConditionTrue)
	return nil
}

// boundFaults is noteMeasured's last comparison for a run that fails in a measurement: its
// workers may have shipped everything, and the report then believes the injections as far as the
// bounds say. Nothing waits for it: what can't be compared now has the widest bound.
func (r *Reconciler) boundFaults(ctx context.Context, o *observed) {
	if o.Plan == nil {
		return
	}
	for i := range o.Plan.Workloads {
		name := o.Plan.Workloads[i].Name
		started := findWorkload(o.Run, name).StartedAtUnixNanos != 0
		if !started || workloadIs(o.Run, name, v1alpha1.ConditionMeasured) || !hasFaults(o.Plan, name) {
			continue
		}
		if err := r.time.ask(ctx, r.Results); err != nil {
			widenFaults(o, name, time.Duration(bundle.MaxClockBoundNanos))
			continue
		}
		widenFaults(o, name, r.time.off())
	}
}

// widenFaults gives the injections of a workload as their error how far the clocks moved
// apart: nobody can say whether that was before an injection was stamped or after it. The
// report finds such a bound too wide, unless it is small.
func widenFaults(o *observed, workload string, off time.Duration) {
	if off == 0 {
		return
	}
	for _, fault := range o.Plan.Faults {
		state := findFault(o.Run, fault.Name).State
		if fault.Workload != workload || state != v1alpha1.FaultInjected && state != v1alpha1.FaultHealed {
			continue
		}
		status := ensureFault(o.Run, fault.Name)
		status.ClockBoundNanos = max(status.ClockBoundNanos, min(off.Nanoseconds(), bundle.MaxClockBoundNanos))
	}
}
