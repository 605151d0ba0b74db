package read

import (
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// FaultLine is what the controller wrote of a planned fault; nil without a line.
func (in *Input) FaultLine(p *plan.Fault) *bundle.FaultLine {
	for i := range in.Faults {
		if l := &in.Faults[i]; l.Name == p.Name && l.Workload == p.Workload {
			return l
		}
	}
	return nil
}

// Injected says whether the line, which may be nil, has the bracket of an injection.
func Injected(l *bundle.FaultLine) bool {
	return l != nil && l.InjectedAfterUnixNanos > 0 && l.InjectedBeforeUnixNanos >= l.InjectedAfterUnixNanos
}

// injectionsOf are the instants of a workload's injections in their order, as the controller wrote them.
func injectionsOf(in *Input, w *plan.Workload, c instant.Clock) []instant.FromStart {
	var instants []instant.FromStart
	for i := range in.Plan.Faults {
		p := &in.Plan.Faults[i]
		if line := in.FaultLine(p); p.Workload == w.Name && Injected(line) {
			instants = append(instants, c.FromStart(instant.Unix(line.InjectedAfterUnixNanos)))
		}
	}
	slices.Sort(instants)
	return instants
}
