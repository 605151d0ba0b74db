package act

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
)

// noteMeasured says that a measurement is over. The deletions of its faults' objects that were refused
// meanwhile are tried again, for as long as at first.
func noteMeasured(o *state.Observed, d decide.Decision) {
	if decide.HasFaults(o.Plan, d.Workload) {
		widenFaults(o, d.Workload, o.Asked.Clocks.Apart)
	}
	for _, fault := range o.Plan.Faults {
		if fault.Workload == d.Workload {
			o.Memory.ForgetRefusal(fault.Name)
		}
	}
	setWorkload(o.Run, d, metav1.ConditionTrue)
}

// boundFaults gives the injections of measurements that a failure ends the error that the last
// comparison of the clocks found. Where they could not be compared, that is the widest.
func boundFaults(o *state.Observed) {
	for _, workload := range decide.UnboundWorkloads(o) {
		apart := o.Asked.Clocks.Apart
		if o.Asked.Clocks.Trouble != "" {
			apart = time.Duration(bundle.MaxClockBoundNanos)
		}
		widenFaults(o, workload, apart)
	}
}

// widenFaults gives the injections of a workload as their error how far the clocks moved
// apart: nobody can say whether that was before an injection was stamped or after it. The
// report finds such a bound too wide, unless it is small.
func widenFaults(o *state.Observed, workload string, off time.Duration) {
	if off == 0 {
		return
	}
	for _, fault := range o.Plan.Faults {
		found := status.FindFault(o.Run, fault.Name).State
		if fault.Workload != workload || found != v1alpha1.FaultInjected && found != v1alpha1.FaultHealed {
			continue
		}
		noted := status.EnsureFault(o.Run, fault.Name)
		noted.ClockBoundNanos = max(noted.ClockBoundNanos, min(off.Nanoseconds(), bundle.MaxClockBoundNanos))
	}
}
