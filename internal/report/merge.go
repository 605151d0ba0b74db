package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// Merge makes the report. It is a pure function of its input.
func Merge(in *Input) (*Report, error) {
	writers, all := clockBounds(in)
	r := &Report{
		Format:         Format,
		InvalidReasons: slices.Clone(in.Problems),
		NotJudged:      []Reason{},
		Remarks:        []Reason{},
		Run:            in.Plan.Run,
		Plan:           PlanDigest{Format: in.Plan.Format, SHA256: in.PlanSHA256},
		Seed:           in.Plan.Seed,
		Store:          reportStore(&in.Plan.Store),
		Files:          append([]plan.File{}, in.Plan.Files...),
		Clock:          Clock{BoundMicros: microsUp(all)},
		Workloads:      []Workload{},
		Faults:         []Fault{},
		Repairs:        append([]Repair{}, in.Repairs...),
	}
	r.judge(judgeClock(in, r.Clock)...)
	for i := range in.Plan.Workloads {
		w := &in.Plan.Workloads[i]
		faults, windows, err := mergeFaults(in, w, microsUp(writers))
		if err != nil {
			return nil, err
		}
		generator := observe(in.Workloads[w.Name], w, windows)
		merged := mergeWorkload(in, w, generator, faults)
		r.Workloads = append(r.Workloads, merged)
		r.Remarks = append(r.Remarks, merged.remarks()...)
		r.Faults = append(r.Faults, faults...)
		r.judge(judgeWorkload(in.Workloads[w.Name], w, generator)...)
		if m := in.Workloads[w.Name]; m != nil {
			r.judge(judgeWhole(in, w, m.clock.measurementNanos())...)
		}
		r.judge(judgeFaults(in, w, faults)...)
		r.NotJudged = append(r.NotJudged, generator.notJudged(w)...)
	}
	r.Valid = len(r.InvalidReasons) == 0
	return r, nil
}

func (r *Report) judge(reasons ...Reason) {
	r.InvalidReasons = append(r.InvalidReasons, reasons...)
	if r.InvalidReasons == nil {
		r.InvalidReasons = []Reason{}
	}
}

func reportStore(s *plan.Store) Store {
	store := Store{
		Name: s.Name, Driver: s.Driver, Mode: s.Mode, Promise: s.Promise, Existing: s.Existing,
		Security:  cmp.Or(s.Security, stores.SecurityNone),
		Consensus: s.Consensus, Members: memberNames(s),
	}
	switch own := s.OwnChart; {
	case own != nil:
		store.OwnChart = &OwnChart{Source: own.Source, Name: own.Name, Version: own.Version, SHA256: own.SHA256}
		store.Values = decodeValues(s.Values)
	case !s.Existing:
		store.Version, store.Chart, store.Persistent = s.Version, s.Chart, &s.Persistent
		store.Values = decodeValues(s.EffectiveValues)
	}
	return store
}

func memberNames(s *plan.Store) []string {
	names := []string{}
	for _, m := range s.Members {
		names = append(names, m.Name)
	}
	return names
}

func mergeWorkload(in *Input, w *plan.Workload, generator *observed, faults []Fault) Workload {
	out := Workload{
		Name:       w.Name,
		Preset:     w.Preset,
		Properties: map[string]string{},
		Records:    w.Records,
		Load:       reportLoad(&in.Plan.Store, w),
		Operations: []Operation{},
		Errors:     []ErrorCount{},
		Series:     []Second{},
	}
	maps.Copy(out.Properties, w.Properties)
	if l := in.Loadings[w.Name]; l != nil {
		out.Loading = l.report(w, whileLoading(judgeWhole(in, w, l.startedNanos))...)
	}
	m := in.Workloads[w.Name]
	if m == nil {
		return out
	}
	startedAt := rfc3339(m.clock.measurementNanos())
	sum := m.timeline.measured
	out.StartedAt = &startedAt
	out.DurationMicros = m.clock.measuredDuration
	out.Intended, out.NeverStarted = sum.intended, sum.neverStarted
	out.Succeeded, out.Failed, out.Unknown = sum.succeeded, sum.failed, sum.unknown
	out.Completed, out.Throughput = sum.completed, perSecond(sum.completed, m.clock.measuredDuration)
	out.Operations = m.latencies.report()
	out.ResponseTimeCensored = sum.neverStarted > 0
	for _, worker := range m.workers {
		out.OverRange += worker.finish.OverRange
	}
	out.Usage = in.Usages.during(memberNames(&in.Plan.Store), m.clock.measured(), out.Throughput)
	out.Usage.endedBy(faults, m.clock.measuredDuration)
	out.Trend = trendOf(m, w, faults)
	out.Errors = countErrors(m.workers)
	out.Generator = generator.report(w)
	out.Saturated, out.SaturatedSeconds = generator.saturated()
	out.Series = series(m, w.DurationMillis > 0)
	for i := range out.Series {
		if out.Series[i].Phase == PhaseMeasurement {
			out.Generator.LimitedBins += int64(out.Series[i].LimitedBins)
		}
	}
	return out
}

func reportLoad(store *plan.Store, w *plan.Workload) Load {
	l := Load{
		Model:                  ModelClosed,
		Rate:                   w.Load.Rate,
		Shape:                  w.Load.Shape,
		Trace:                  w.Load.Trace,
		Workers:                w.Load.Workers,
		Threads:                w.Load.Threads,
		RequestedOperations:    w.Operations,
		WarmupMicros:           w.Load.WarmupMillis * 1000,
		CooldownMicros:         w.Load.CooldownMillis * 1000,
		OperationTimeoutMicros: w.Load.OperationTimeoutMillis * 1000,
		UpdateWrites:           WritesFields,
	}
	if w.Load.Rate > 0 {
		l.Model, l.Arrivals, l.MaxInFlight, l.Connections = ModelOpen, w.Load.Arrivals, w.Load.MaxInFlight, w.Load.Connections
	}
	if store.WholeRecord || strings.EqualFold(strings.TrimSpace(w.Properties["writeallfields"]), "true") {
		l.UpdateWrites = WritesRecord
	}
	return l
}

// series lists the seconds of the warm-up, the measurement and the cool-down: all of
// them if their number is the plan's word, else those in which anything was intended.
func series(m *Measured, all bool) []Second {
	listed := []Second{}
	for second := m.clock.secondOfMicros(0); second <= m.clock.lastSecond(); second++ {
		sum := m.timeline.seconds.find(second)
		if !all && sum.intended == 0 {
			continue
		}
		row := Second{
			Second: second, Phase: m.clock.phase(second),
			LimitedBins: sum.limitedBins(),
			Intended:    sum.intended, OK: sum.succeeded, Failed: sum.failed, Unknown: sum.unknown,
		}
		if q := m.latencies.seconds.find(second); q.known {
			p50, p99 := int64(q.p50), int64(q.p99)
			row.P50Micros, row.P99Micros = &p50, &p99
		}
		listed = append(listed, row)
	}
	return listed
}
