package charts

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// FromBundle makes the data of the charts. in is what was read of the files, and r the report that was made of it. A
// workload that was not measured has no charts.
func FromBundle(fsys fs.FS, in *read.Input, r *report.Report) (*Charts, error) {
	c := &Charts{Format: Format, Workloads: []Workload{}}
	for i := range in.Plan.Workloads {
		w := &in.Plan.Workloads[i]
		m := in.Workloads[w.Name]
		if m == nil {
			continue
		}
		made, err := newWorkload(fsys, in, w, m, r)
		if err != nil {
			return nil, fmt.Errorf("charts of workload %s: %w", w.Name, err)
		}
		c.Workloads = append(c.Workloads, *made)
	}
	return c, nil
}

func newWorkload(fsys fs.FS, in *read.Input, w *plan.Workload, m *read.Measured, r *report.Report) (*Workload, error) {
	s := newSteps(m.Clock)
	out := &Workload{
		Name: w.Name, StepSeconds: s.long, FirstStepMicros: s.lengthOf(0), LastStepMicros: s.lengthOf(s.n - 1), FirstSecond: int64(s.first), Steps: s.n,
		MissingWorkers: missing(w, m),
		Counts:         counts(m, &s),
		Curves:         curves(m.Latencies),
		Errors:         errorsOf(m.Workers, &s),
		Generator:      generator(m, &s),
		Members:        members(in, &s),
		Leaders:        leaders(in.Topology, m.Clock),
		Faults:         faults(m, w, r),
		Loading:        loading(in.Loadings[w.Name]),
	}
	return out, readLatencies(fsys, m, &s, out)
}

// missing are the workers of which the report has nothing.
func missing(w *plan.Workload, m *read.Measured) []int {
	listed := []int{}
	for index := range w.Load.Workers {
		if !slices.ContainsFunc(m.Workers, func(w *telemetry.Worker) bool { return w.Writer.Index == index }) {
			listed = append(listed, index)
		}
	}
	return listed
}

func counts(m *read.Measured, s *steps) Counts {
	c := Counts{make([]int64, s.n), make([]int64, s.n), make([]int64, s.n), make([]int64, s.n), make([]int64, s.n)}
	for second := m.Clock.FirstSecond(); second <= m.Clock.LastSecond(); second++ {
		step, ok := s.of(second)
		if !ok {
			continue
		}
		sum := m.Timeline.Seconds.Find(second)
		c.Intended[step] += sum.Intended
		c.OK[step] += sum.Succeeded
		c.Failed[step] += sum.Failed
		c.Unknown[step] += sum.Unknown
		c.Completed[step] += sum.Completed
	}
	return c
}

func loading(l *read.Loaded) *Loading {
	if l == nil {
		return nil
	}
	out := &Loading{StartedAt: l.Started.RFC3339(), Sent: []int64{}, Curve: newCurve("INSERT", "ok", ServiceTime, l.Insert)}
	for _, loader := range l.Loaders {
		for i := range loader.Seconds {
			second := &loader.Seconds[i]
			at := second.Begin().Since(l.Started) / instant.NanosPerSecond
			if at < 0 || at >= maxLoadingSeconds {
				continue
			}
			for int64(len(out.Sent)) <= at {
				out.Sent = append(out.Sent, 0)
			}
			out.Sent[at] += int64(second.Sent)
		}
	}
	return out
}

// maxLoadingSeconds bounds the seconds of a load phase that are shown: a day.
const maxLoadingSeconds = 86_400
