package controllers

import (
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

// reasonClockStepped is the report's word for the same thing.
const reasonClockStepped = "ClockStepped"

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

// widenFaults gives the injections of a workload the step as their error, if the clocks moved
// apart: nobody can say whether that was before an injection was stamped or after it. The
// report finds such a bound too wide.
func widenFaults(o *observed, workload string) {
	if o.ClockMoved == 0 {
		return
	}
	for _, fault := range o.Plan.Faults {
		if fault.Workload != workload {
			continue
		}
		status := ensureFault(o.Run, fault.Name)
		status.ClockBoundNanos = max(status.ClockBoundNanos, o.ClockMoved.Abs().Nanoseconds())
	}
}
