package compute

import (
	"maps"
	"math"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/judge"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/telemetry"
	"github.com/kvbench/kvbench/internal/report/usage"
)

// perSecond rounds to thousandths, so that the digits are the same everywhere.
func perSecond(count, micros int64) float64 {
	if micros <= 0 {
		return 0
	}
	return math.Round(float64(count)/float64(micros)*1e9) / 1e3
}

func mergeWorkload(in *read.Input, w *plan.Workload, generator *judge.Generator, faults []report.Fault) report.Workload {
	out := report.Workload{
		Name:       w.Name,
		Preset:     w.Preset,
		Properties: map[string]string{},
		Records:    w.Records, InsertStart: w.InsertStart, InsertCount: w.InsertCount,
		Load:       reportLoad(&in.Plan.Store, w),
		Operations: []report.Operation{},
		Errors:     []report.ErrorCount{},
		Series:     []report.Second{},
	}
	maps.Copy(out.Properties, w.Properties)
	if reset := in.Resets[w.Name]; reset != nil {
		micros := reset.Ended.Since(reset.Started) / instant.NanosPerMicro
		out.ResetMicros = &micros
	}
	if l := in.Loadings[w.Name]; l != nil {
		out.Loading = reportLoading(l, w, judge.WhileLoading(judge.Store(in, w, l.Started))...)
	}
	m := in.Workloads[w.Name]
	if m == nil {
		out.Load.Clients = clients(w, nil, 0)
		return out
	}
	startedAt := m.Clock.Measurement().RFC3339()
	sum := m.Timeline.Measured
	out.StartedAt = &startedAt
	out.DurationMicros = m.Clock.MeasuredMicros
	out.Intended, out.NeverStarted = sum.Intended, sum.NeverStarted
	out.Succeeded, out.Failed, out.Unknown = sum.Succeeded, sum.Failed, sum.Unknown
	out.Completed, out.Throughput = sum.Completed, perSecond(sum.Completed, m.Clock.MeasuredMicros)
	out.Operations = m.Latencies.Report()
	out.Load.Clients = clients(w, out.Operations, m.Clock.MeasuredMicros)
	out.ResponseTimeCensored = sum.NeverStarted > 0
	for _, worker := range m.Workers {
		out.OverRange += worker.Finish.OverRange
	}
	out.Usage = in.Usages.During(memberNames(&in.Plan.Store), usage.Measured(m.Clock), out.Throughput)
	usage.NoteEnded(out.Usage, faults, m.Clock.MeasuredMicros)
	if began, err := time.Parse(time.RFC3339Nano, startedAt); err == nil && in.Environment != nil {
		usage.NoteEnds(out.Usage, in.Environment.Pods, began, time.Duration(m.Clock.MeasuredMicros)*time.Microsecond)
	}
	out.Trend = judge.Trend(m, w, faults)
	out.Errors = telemetry.CountErrors(m.Workers)
	out.Generator = generator.Report(w)
	out.Saturated, out.SaturatedSeconds = generator.Saturated()
	out.Series = series(m, w.DurationMillis > 0)
	for i := range out.Series {
		if out.Series[i].Phase == report.PhaseMeasurement {
			out.Generator.LimitedBins += int64(out.Series[i].LimitedBins)
		}
	}
	return out
}

func reportLoad(store *plan.Store, w *plan.Workload) report.Load {
	l := report.Load{
		Model:                  report.ModelClosed,
		Rate:                   w.Load.Rate,
		Shape:                  w.Load.Shape,
		Trace:                  traceOf(w.Load.Trace),
		Workers:                w.Load.Workers,
		Threads:                w.Load.Threads,
		RequestedOperations:    w.Operations,
		WarmupMicros:           w.Load.WarmupMillis * 1000,
		CooldownMicros:         w.Load.CooldownMillis * 1000,
		OperationTimeoutMicros: w.Load.OperationTimeoutMillis * 1000,
		UpdateWrites:           report.WritesFields,
	}
	if w.Load.Rate > 0 {
		l.Model, l.Arrivals, l.MaxInFlight, l.Connections = report.ModelOpen, w.Load.Arrivals, w.Load.MaxInFlight, w.Load.Connections
	}
	if store.WholeRecord || strings.EqualFold(strings.TrimSpace(w.Properties["writeallfields"]), "true") {
		l.UpdateWrites = report.WritesRecord
	}
	return l
}

func traceOf(t *plan.Trace) *report.Trace {
	if t == nil {
		return nil
	}
	return &report.Trace{File: t.File, SHA256: t.SHA256, Rows: t.Rows, Stretch: t.Stretch}
}

// series lists the seconds of the warm-up, the measurement and the cool-down: all of
// them if their number is the plan's word, else those in which anything was intended.
func series(m *read.Measured, all bool) []report.Second {
	listed := []report.Second{}
	for second := m.Clock.FirstSecond(); second <= m.Clock.LastSecond(); second++ {
		sum := m.Timeline.Seconds.Find(second)
		if !all && sum.Intended == 0 {
			continue
		}
		row := report.Second{
			Second: int64(second), Phase: m.Clock.Phase(second),
			LimitedBins: sum.LimitedBins(),
			Intended:    sum.Intended, OK: sum.Succeeded, Failed: sum.Failed, Unknown: sum.Unknown,
		}
		if q := m.Latencies.Seconds.Find(second); q.Known {
			p50, p99 := int64(q.P50), int64(q.P99)
			row.P50Micros, row.P99Micros = &p50, &p99
		}
		listed = append(listed, row)
	}
	return listed
}
