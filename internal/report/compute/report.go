// Package compute makes a run's report from its bundle. FromBundle reads the files, and Merge is a pure function of what
// was read. Nothing else enters a report: no clock, no environment, no version of this program; so the same bundle gives
// the same bytes everywhere.
package compute

import (
	"io/fs"
	"slices"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/clocks"
	"github.com/kvbench/kvbench/internal/report/judge"
	"github.com/kvbench/kvbench/internal/report/outage"
	"github.com/kvbench/kvbench/internal/report/read"
)

// FromBundle makes the report of a bundle. Whatever is missing from the bundle or broken
// in it becomes a reason for which the run is not valid; only a bundle without a readable
// plan gives no report.
func FromBundle(fsys fs.FS) (*report.Report, error) {
	in, err := read.Bundle(fsys)
	if err != nil {
		return nil, err
	}
	return Merge(in)
}

// Merge makes the report. It is a pure function of its input.
func Merge(in *read.Input) (*report.Report, error) {
	fingerprint, err := in.Plan.Fingerprint()
	if err != nil {
		return nil, err
	}
	writers, all := judge.ClockBounds(in)
	r := &report.Report{
		Format:         report.Format,
		Kvbench:        in.Plan.Kvbench,
		InvalidReasons: slices.Clone(in.Problems),
		NotJudged:      []report.Reason{},
		Remarks:        []report.Reason{},
		Run:            in.Plan.Run,
		Plan:           report.PlanDigest{Format: in.Plan.Format, SHA256: in.PlanSHA256, Fingerprint: fingerprint},
		Seed:           in.Plan.Seed,
		Store:          reportStore(&in.Plan.Store),
		Placement:      in.Plan.Placement,
		Environment:    in.Environment,
		Files:          append([]plan.File{}, in.Plan.Files...),
		Clock:          report.Clock{BoundMicros: clocks.MicrosUp(all)},
		Workloads:      []report.Workload{},
		Faults:         []report.Fault{},
		Repairs:        append([]report.Repair{}, in.Repairs...),
	}
	addReasons(r, judge.Clock(in, r.Clock)...)
	for i := range in.Plan.Workloads {
		w := &in.Plan.Workloads[i]
		faults, windows, err := outage.Faults(in, w, clocks.MicrosUp(writers))
		if err != nil {
			return nil, err
		}
		generator := judge.NewGenerator(in.Workloads[w.Name], w, windows)
		merged := mergeWorkload(in, w, generator, faults)
		r.Workloads = append(r.Workloads, merged)
		r.Remarks = append(r.Remarks, judge.Remarks(&merged)...)
		r.Faults = append(r.Faults, faults...)
		addReasons(r, judge.Workload(in.Workloads[w.Name], w, generator)...)
		if m := in.Workloads[w.Name]; m != nil {
			addReasons(r, judge.Store(in, w, m.Clock.Measurement())...)
		}
		addReasons(r, judge.Faults(in, w, faults)...)
		r.NotJudged = append(r.NotJudged, generator.NotJudged(w)...)
	}
	r.Totals = totals(in, r.Workloads)
	r.Valid = len(r.InvalidReasons) == 0
	objective.Judge(r, in.Plan.Objectives)
	return r, nil
}

func addReasons(r *report.Report, reasons ...report.Reason) {
	r.InvalidReasons = append(r.InvalidReasons, reasons...)
	if r.InvalidReasons == nil {
		r.InvalidReasons = []report.Reason{}
	}
}
