package compute

import (
	"slices"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/judge"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// reportLoading reports a workload's loading. more is what else its figures may not be believed for.
func reportLoading(l *read.Loaded, w *plan.Workload, more ...report.Reason) *report.Loading {
	duration := max(0, l.Ended.Since(l.Started)/instant.NanosPerMicro)
	reasons := append(judge.Loading(l, w), slices.Concat(l.Problems, more)...)
	return &report.Loading{
		Valid:          len(reasons) == 0,
		InvalidReasons: reasons,
		Records:        l.Records,
		DurationMicros: duration,
		Throughput:     perSecond(l.Records, duration),
		Batch:          l.Batch,
		Insert:         histogram.Latency(l.Insert),
		Errors:         telemetry.CountErrors(l.Loaders),
	}
}
