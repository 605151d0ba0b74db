package read

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
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

// Ended says whether the line has the bracket of an end, which isn't before its injection.
func Ended(l *bundle.FaultLine) bool {
	return l.EndedAfterUnixNanos >= l.InjectedAfterUnixNanos && l.EndedAfterUnixNanos > 0 && l.EndedBeforeUnixNanos >= l.EndedAfterUnixNanos
}

// latestUnixNanos is in the year 2116. Instants are added to, and later ones would overflow.
const latestUnixNanos = 1 << 62

// checkFault refuses what no controller can have written.
func checkFault(l *bundle.FaultLine) error {
	switch {
	case l.ClockBoundNanos < 0:
		return fmt.Errorf("a clock's bound of %d ns", l.ClockBoundNanos)
	case l.DurationMillis < 0 || l.DurationMillis > maxMillis:
		return fmt.Errorf("a fault that lasts %d ms", l.DurationMillis)
	case max(l.EndedAfterUnixNanos, l.EndedBeforeUnixNanos) > latestUnixNanos:
		return fmt.Errorf("a fault that ended at %d", max(l.EndedAfterUnixNanos, l.EndedBeforeUnixNanos))
	case len(l.Targets) > report.MaxMembers || len(l.Peers) > report.MaxMembers:
		return fmt.Errorf("%d targets and %d peers", len(l.Targets), len(l.Peers))
	}
	for _, name := range slices.Concat(l.Targets, l.Peers) {
		if len(name) > report.MaxName {
			return fmt.Errorf("a name of %d bytes", len(name))
		}
	}
	return nil
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
