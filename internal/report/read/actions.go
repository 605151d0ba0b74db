package read

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/report"
)

// checkActions notes the faults whose figures would be those of another one: the catalog doesn't know how long they work.
func (r *reader) checkActions() {
	for i := range r.in.Plan.Faults {
		p := &r.in.Plan.Faults[i]
		say := func(format string, args ...any) {
			message := report.Truncate(fmt.Sprintf(format, args...), report.MaxReasonText)
			r.in.Problems = append(r.in.Problems, report.Reason{Reason: report.FileCorrupt, Workload: p.Workload, Fault: p.Name, Message: message})
		}
		lasts := p.DurationMillis
		if line := r.in.FaultLine(p); line != nil {
			lasts = max(lasts, line.DurationMillis)
		}
		action, known := faults.Find(p.Action)
		switch {
		case !known:
			say("reading %s: this program doesn't know the action %q of fault %q, so it is judged as one that ends with its injection: make the report with the version of kvbench that made the run", bundle.PlanFile, p.Action, p.Name)
		case lasts > 0 && !action.Lasts:
			say("reading %s and %s: fault %q is to last for %d ms, and its action %q ends with its injection", bundle.PlanFile, bundle.FaultsFile, p.Name, lasts, p.Action)
		}
	}
}
