package decide

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// decideFail lets a run fail once it is known what its faults did. A run that fails says of each
// fault that it had begun whether it was injected, and when.
func decideFail(o *state.Observed, failure Decision) Decision {
	if hasIntendedFault(o.Run) {
		if o.Asked.Faults == nil {
			return ask(state.AskFaults)
		}
		if fault := unseenFault(o); fault != "" {
			return wait("InjectionUnseen", fmt.Sprintf("waiting for the news that fault %s was injected, before the run is called failed (%s)", fault, failure.Reason), time.Second)
		}
	}
	if len(UnboundWorkloads(o)) > 0 && o.Asked.Clocks == nil {
		return ask(state.AskClocks)
	}
	return failure
}

func hasIntendedFault(run *v1alpha1.BenchmarkRun) bool {
	return slices.ContainsFunc(run.Status.Faults, func(f v1alpha1.FaultStatus) bool { return f.State == v1alpha1.FaultIntended })
}

// unseenFault names a fault that was injected, and of which the watches don't tell yet. They may have told
// already how the workers fared. A fault that was waited for too long isn't named any more.
func unseenFault(o *state.Observed) string {
	for _, name := range slices.Sorted(maps.Keys(o.Asked.Faults)) {
		told := o.Asked.Faults[name]
		since := o.Memory.Fault(name, told.UID).UnseenSince
		if told.Injected && !o.Faults[name].Injected && o.Now.Sub(since) < NewsDeadline {
			return name
		}
	}
	return ""
}

// UnboundWorkloads are the workloads with faults whose measurement was begun and isn't over. How wrong the
// times of their injections may be is not known. Their workers may have shipped everything, and the report
// then believes the injections as far as their bounds say.
func UnboundWorkloads(o *state.Observed) (names []string) {
	if o.Plan == nil {
		return nil
	}
	for i := range o.Plan.Workloads {
		name := o.Plan.Workloads[i].Name
		begun := status.FindWorkload(o.Run, name).StartedAtUnixNanos != 0
		if begun && !status.WorkloadIs(o.Run, name, v1alpha1.ConditionMeasured) && HasFaults(o.Plan, name) {
			names = append(names, name)
		}
	}
	return names
}
