package controllers

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// newsDeadline bounds the wait for a watch to tell what is so.
const newsDeadline = time.Minute

// decideFail lets a run fail once it is known what its faults did. A run that fails says of each
// fault that it had begun whether it was injected, and when.
func decideFail(o *observed, failure decision) decision {
	if hasIntendedFault(o.Run) {
		if o.Asked.Faults == nil {
			return ask(askFaults)
		}
		if fault := unseenFault(o); fault != "" {
			return wait("InjectionUnseen", fmt.Sprintf("waiting for the news that fault %s was injected, before the run is called failed (%s)", fault, failure.Reason), time.Second)
		}
	}
	if len(unboundWorkloads(o)) > 0 && o.Asked.Clocks == nil {
		return ask(askClocks)
	}
	return failure
}

func hasIntendedFault(run *v1alpha1.BenchmarkRun) bool {
	return slices.ContainsFunc(run.Status.Faults, func(f v1alpha1.FaultStatus) bool { return f.State == v1alpha1.FaultIntended })
}

// unseenFault names a fault that was injected, and of which the watches don't tell yet: they may be
// behind what they tell of the workers. One that was waited for too long isn't named any more.
func unseenFault(o *observed) string {
	for _, name := range slices.Sorted(maps.Keys(o.Asked.Faults)) {
		told := o.Asked.Faults[name]
		since := o.Memory.fault(name, told.UID).UnseenSince
		if told.Injected && !o.Faults[name].Injected && o.Now.Sub(since) < newsDeadline {
			return name
		}
	}
	return ""
}

// unboundWorkloads are those whose measurement was begun and isn't over, and which have faults: how
// wrong the times of their injections may be is not known. Their workers may have shipped everything,
// and the report then believes the injections as far as their bounds say.
func unboundWorkloads(o *observed) (names []string) {
	if o.Plan == nil {
		return nil
	}
	for i := range o.Plan.Workloads {
		name := o.Plan.Workloads[i].Name
		begun := findWorkload(o.Run, name).StartedAtUnixNanos != 0
		if begun && !workloadIs(o.Run, name, v1alpha1.ConditionMeasured) && hasFaults(o.Plan, name) {
			names = append(names, name)
		}
	}
	return names
}
