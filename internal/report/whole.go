package report

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// judgeWhole says whether what a workload did from the instant on it did to a store that a fault of
// another workload had broken: none of its own faults would say so. The members' own failures are
// a result, as is what its own faults do, so without a fault before it nothing is judged.
//
// Nothing is said where nobody looked: then the fault before has no sign of its end either, and is
// judged for that (TopologyGap, FaultIneffective).
func judgeWhole(in *Input, w *plan.Workload, instant int64) []Reason {
	fault, seen := faultBefore(in.Faults, w, instant), in.Topology.before(instant)
	if fault == nil || seen == nil || in.Topology.steadyIn(instant-int64(maxNotWhole), instant) {
		return nil
	}
	return []Reason{{Reason: NotWholeAtStart, Workload: w.Name, Message: cut(fmt.Sprintf(
		"the store was not whole again after fault %q of workload %q when workload %q began: %s",
		fault.Name, fault.Workload, w.Name, unwell(seen.TopologyLine)), maxReasonText)}}
}

// faultBefore is the last fault of another workload that was injected before the instant; nil
// without one.
func faultBefore(faults []bundle.FaultLine, w *plan.Workload, instant int64) *bundle.FaultLine {
	var last *bundle.FaultLine
	for i := range faults {
		f := &faults[i]
		if f.Workload == w.Name || f.InjectedAfterUnixNanos <= 0 || f.InjectedAfterUnixNanos >= instant {
			continue
		}
		if last == nil || f.InjectedAfterUnixNanos > last.InjectedAfterUnixNanos {
			last = f
		}
	}
	return last
}

// unwell names the members that keep a line from being steady.
func unwell(line *bundle.TopologyLine) string {
	var names []string
	for i := range line.Members {
		if !line.Members[i].Healthy {
			names = append(names, line.Members[i].Name)
		}
	}
	switch len(names) {
	case 0:
		return "its members don't agree on who leads"
	case 1:
		return names[0] + " is not well"
	}
	return strings.Join(names, ", ") + " are not well"
}
