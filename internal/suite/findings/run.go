package findings

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
)

// Run is what a suite needs of one run's report. A run of an hour has a report of megabytes, and a suite has hundreds of
// runs: so reports are read one after the other, and this is what is kept.
type Run struct {
	Kvbench string // that made the run
	Promise string // of the store's mode
	// Saturated are the workloads whose load the store could not take.
	Saturated []string
	figures   figures.Set
	print     fingerprint.Print
}

// RunOf takes it from a run's report.
func RunOf(r *report.Report) *Run {
	run := &Run{
		Kvbench: r.Kvbench, Promise: r.Store.Promise,
		figures: figures.Of(r), print: fingerprint.Of(r),
	}
	for i := range r.Workloads {
		if r.Workloads[i].Saturated {
			run.Saturated = append(run.Saturated, r.Workloads[i].Name)
		}
	}
	return run
}
