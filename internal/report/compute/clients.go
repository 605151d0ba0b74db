package compute

import (
	"slices"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// clients are the groups of a workload's threads, with what each reached in a measurement of so many microseconds. No two groups
// make the same operations.
func clients(w *plan.Workload, operations []report.Operation, micros int64) (groups []report.Clients) {
	for _, planned := range w.Clients {
		group := report.Clients{Name: planned.Name, Threads: planned.Threads, Operations: []string{}}
		var succeeded int64
		for kind := range stores.NumKinds {
			if weight := planned.Properties[workload.Proportion(kind)]; weight == "" || weight == "0" {
				continue
			}
			group.Operations = append(group.Operations, kind.String())
			for _, o := range operations {
				if o.Operation == kind.String() && o.Outcome == stores.OK.String() {
					succeeded += o.Count
				}
			}
		}
		slices.Sort(group.Operations)
		group.Throughput = perSecond(succeeded, micros)
		groups = append(groups, group)
	}
	return groups
}
