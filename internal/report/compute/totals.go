package compute

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/read"
)

// totals adds up the steps; nil if a step that the plan has is not known.
func totals(in *read.Input, workloads []report.Workload) *report.Totals {
	all := &report.Totals{}
	for i := range workloads {
		planned, w := &in.Plan.Workloads[i], &workloads[i]
		switch {
		case planned.Reset && w.ResetMicros == nil, planned.LoadFirst && w.Loading == nil, w.StartedAt == nil:
			return nil
		}
		if w.ResetMicros != nil {
			all.ResetMicros += *w.ResetMicros
		}
		if w.Loading != nil {
			all.LoadingMicros += w.Loading.DurationMicros
		}
		all.MeasurementMicros += w.DurationMicros
	}
	all.SumMicros = all.ResetMicros + all.LoadingMicros + all.MeasurementMicros
	return all
}
