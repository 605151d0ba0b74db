package findings

import (
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/workload"
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

// RunOf takes it from a run's report. Where the run has workloads of several combinations, the prefix begins the names of those that it
// is of. It is nil where their numbers may not be believed.
func RunOf(r *report.Report, prefix string) *Run {
	if prefix != "" {
		r = part(r, prefix)
	}
	if !r.Valid {
		return nil
	}
	run := &Run{
		Kvbench: r.Kvbench, Promise: r.Store.Promise,
		figures: figures.Of(r), print: fingerprint.Of(r),
	}
	if prefix != "" {
		run.print[fingerprint.Reuse] = "Store"
	}
	for i := range r.Workloads {
		if r.Workloads[i].Saturated {
			run.Saturated = append(run.Saturated, r.Workloads[i].Name)
		}
	}
	return run
}

// part is the report of the workloads with the prefix, under the names that their combination has for them.
func part(r *report.Report, prefix string) *report.Report {
	of := *r
	of.Workloads, of.Faults, of.Files, of.Environment = nil, nil, nil, environmentOf(r.Environment, prefix)
	of.Valid = true
	for i := range r.Workloads {
		w := r.Workloads[i] // a copy
		name, is := strings.CutPrefix(w.Name, prefix)
		if !is {
			continue
		}
		of.Valid = of.Valid && len(r.ReasonsOf(w.Name)) == 0
		w.Name = name
		// A workload has the content of its trace and of its rates in it. Files of others say nothing of it.
		for _, file := range r.Files {
			if file.Name == w.Properties[workload.LengthHistogramProperty] && !slices.Contains(of.Files, file) {
				of.Files = append(of.Files, file)
			}
		}
		of.Workloads = append(of.Workloads, w)
	}
	of.Valid = of.Valid && len(of.Workloads) > 0
	return &of
}

// environmentOf is an environment without the workers of other workloads. A kvbench of an earlier version did not say which workload a
// worker measured.
func environmentOf(whole *bundle.Environment, prefix string) *bundle.Environment {
	if whole == nil {
		return nil
	}
	of := *whole
	of.Pods = slices.DeleteFunc(slices.Clone(whole.Pods), func(pod bundle.Pod) bool {
		return pod.Workload != "" && !strings.HasPrefix(pod.Workload, prefix)
	})
	return &of
}
