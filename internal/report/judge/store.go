package judge

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// Store gives a reason if a workload began on a store that a fault of another workload had broken. None of the workload's
// own faults would show it. Failures of the members themselves, and what the workload's own faults do, are results. So
// without a fault before the workload nothing is judged.
//
// If no observer looked, there is no reason here. The fault before has no sign of its end then, and is judged for that
// (TopologyGap, FaultIneffective).
func Store(in *read.Input, w *plan.Workload, begin instant.Unix) []report.Reason {
	fault, seen := faultBefore(in.Faults, w, begin), in.Topology.Before(begin)
	if fault == nil || seen == nil || in.Topology.SteadyIn(begin.Plus(-int64(limits.MaxNotWhole)), begin) {
		return nil
	}
	return []report.Reason{{Reason: report.NotWholeAtStart, Workload: w.Name, Message: report.Truncate(fmt.Sprintf(
		"the store was not whole again after fault %q of workload %q when workload %q began: %s",
		fault.Name, fault.Workload, w.Name, unwell(seen.TopologyLine)), report.MaxReasonText)}}
}

// faultBefore is the last fault of another workload that was injected before the instant; nil
// without one.
func faultBefore(faults []bundle.FaultLine, w *plan.Workload, begin instant.Unix) *bundle.FaultLine {
	var last *bundle.FaultLine
	for i := range faults {
		f := &faults[i]
		if f.Workload == w.Name || f.InjectedAfterUnixNanos <= 0 || instant.Unix(f.InjectedAfterUnixNanos) >= begin {
			continue
		}
		if last == nil || f.InjectedAfterUnixNanos > last.InjectedAfterUnixNanos {
			last = f
		}
	}
	return last
}

// unwell says which members are not healthy in a line that isn't steady.
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
