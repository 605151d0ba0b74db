// Package remotewrite sends the figures of each second of a run's report to a Prometheus, once the report is made. They are
// those of the run's charts, so they agree with the report to the digit.
package remotewrite

import (
	"fmt"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// about is what the series of a run need of its report.
type about struct {
	Valid bool     `json:"valid"`
	Run   plan.Run `json:"run"`
	Store struct {
		Name string `json:"name"`
	} `json:"store"`
	Workloads []struct {
		Name      string  `json:"name"`
		StartedAt *string `json:"startedAt"`
	} `json:"workloads"`
}

// columns are what they need of its charts.
type columns struct {
	Format    int        `json:"format"`
	Workloads []workload `json:"workloads"`
}

type workload struct {
	Name        string `json:"name"`
	StepSeconds int64  `json:"stepSeconds"`
	// Of how much of the first and of the last step operations were recorded.
	FirstStepMicros int64              `json:"firstStepMicros"`
	LastStepMicros  int64              `json:"lastStepMicros"`
	FirstSecond     int64              `json:"firstSecond"`
	Steps           int                `json:"steps"`
	Counts          charts.Counts      `json:"counts"`
	Operations      []charts.Operation `json:"operations"`
}

// metric is one of those that are sent.
type metric struct{ Name string }

// Their rows in docs/reference/metrics.md say what they are.
var (
	stepSeconds = metric{Name: "kvbench_report_step_seconds"}
	intended    = metric{Name: "kvbench_report_intended"}
	operations  = metric{Name: "kvbench_report_operations"}
	completed   = metric{Name: "kvbench_report_completed"}
	successes   = metric{Name: "kvbench_report_successes"}
	latency     = metric{Name: "kvbench_report_latency_seconds"}
)

// seriesOf are the series of a run, in an order that is always the same.
func seriesOf(of *about, from *columns) ([]series, error) {
	if from.Format != charts.Format {
		return nil, fmt.Errorf("its charts have format %d, and this version knows %d", from.Format, charts.Format)
	}
	var all []series
	for i := range from.Workloads {
		w := &from.Workloads[i]
		started, err := startOf(of, w.Name)
		if err != nil {
			return nil, err
		}
		if err := w.check(); err != nil {
			return nil, fmt.Errorf("its charts of workload %q: %w", w.Name, err)
		}
		all = append(all, w.series(labelsOf(of, w.Name), w.ends(started))...)
	}
	return all, nil
}

// startOf is when the measurement of a workload began.
func startOf(of *about, name string) (time.Time, error) {
	for _, w := range of.Workloads {
		if w.Name != name {
			continue
		}
		if w.StartedAt == nil {
			break
		}
		started, err := time.Parse(time.RFC3339Nano, *w.StartedAt)
		if err == nil && (started.Year() < 1971 || started.Year() > 2200) { // nanoseconds since 1970 end in 2262
			err = fmt.Errorf("it began in the year %d", started.Year())
		}
		if err != nil {
			return started, fmt.Errorf("its report says of workload %q: %w", name, err)
		}
		return started, nil
	}
	return time.Time{}, fmt.Errorf("its report doesn't say when workload %q began, which has charts", name)
}

// A run is bounded to seven days.
const (
	maxSeconds = 8 * 24 * 3600
	longStep   = 30 // seconds
	maxSteps   = maxSeconds / longStep
)

// check makes sure that each column has a place for each step.
func (w *workload) check() error {
	if w.StepSeconds < 1 || w.StepSeconds > longStep || w.Steps < 1 || w.Steps > maxSteps || w.FirstSecond < -maxSeconds || w.FirstSecond > 0 {
		return fmt.Errorf("there are %d steps of %d s from second %d on", w.Steps, w.StepSeconds, w.FirstSecond)
	}
	lengths := []int{len(w.Counts.Intended), len(w.Counts.OK), len(w.Counts.Failed), len(w.Counts.Unknown), len(w.Counts.Completed)}
	for i := range w.Operations {
		o := &w.Operations[i]
		lengths = append(lengths, len(o.Count))
		for _, p := range []*charts.Percentiles{o.Response, o.Service} {
			if p != nil {
				lengths = append(lengths, len(p.P50), len(p.P95), len(p.P99), len(p.P999), len(p.Max))
			}
		}
	}
	if at := slices.IndexFunc(lengths, func(n int) bool { return n != w.Steps }); at >= 0 {
		return fmt.Errorf("a column has %d places for %d steps", lengths[at], w.Steps)
	}
	return nil
}

// ends are those of the steps, in milliseconds since 1970, on full seconds. Where a measurement began between two of them, they
// are the ends of the rows that the percentiles are from.
func (w *workload) ends(started time.Time) []int64 {
	clock := instant.Clock{Start: instant.Unix(started.UnixNano())}
	ends := make([]int64, w.Steps)
	for i := range ends {
		second := w.FirstSecond + (int64(i)+1)*w.StepSeconds
		ends[i] = int64(clock.RowBegin(instant.Second(second))) / int64(time.Millisecond)
	}
	return ends
}

func (w *workload) series(own []label, ends []int64) []series {
	all := []series{
		w.lengths(own, ends),
		counted(intended, own, ends, w.Counts.Intended),
		counted(operations, own, ends, w.Counts.OK, label{"outcome", "ok"}),
		counted(operations, own, ends, w.Counts.Failed, label{"outcome", "failed"}),
		counted(operations, own, ends, w.Counts.Unknown, label{"outcome", "unknown"}),
		counted(completed, own, ends, w.Counts.Completed),
	}
	for i := range w.Operations {
		o := &w.Operations[i]
		kind := label{"operation", text(o.Operation)}
		all = append(all, counted(successes, own, ends, o.Count, kind))
		all = append(all, latencies(own, ends, o.Response, kind, label{"time", charts.ResponseTime})...)
		all = append(all, latencies(own, ends, o.Service, kind, label{"time", charts.ServiceTime})...)
	}
	return all
}

// lengths are those of the steps. Of the first and of the last one a part may be recorded.
func (w *workload) lengths(own []label, ends []int64) series {
	s := series{Labels: named(stepSeconds, own, nil)}
	for i, end := range ends {
		length := float64(w.StepSeconds)
		switch {
		case i == 0 && w.FirstStepMicros > 0:
			length = float64(w.FirstStepMicros) / 1e6
		case i == len(ends)-1 && w.LastStepMicros > 0:
			length = float64(w.LastStepMicros) / 1e6
		}
		s.Samples = append(s.Samples, sample{Value: length, Millis: end})
	}
	return s.ended(ends)
}

func counted(of metric, own []label, ends, counts []int64, more ...label) series {
	s := series{Labels: named(of, own, more)}
	for i, count := range counts {
		s.Samples = append(s.Samples, sample{Value: float64(count), Millis: ends[i]})
	}
	return s.ended(ends)
}

func latencies(own []label, ends []int64, p *charts.Percentiles, more ...label) (all []series) {
	if p == nil {
		return nil
	}
	for _, column := range []struct {
		quantile string
		micros   []*int64
	}{{"0.5", p.P50}, {"0.95", p.P95}, {"0.99", p.P99}, {"0.999", p.P999}, {"1", p.Max}} {
		s := series{Labels: named(latency, own, append(slices.Clone(more), label{"quantile", column.quantile}))}
		for i, micros := range column.micros {
			switch {
			case micros != nil:
				// The quotient is the number that is nearest, so it is printed with the report's digits.
				s.Samples = append(s.Samples, sample{Value: float64(*micros) / 1e6, Millis: ends[i]})
			case i > 0 && column.micros[i-1] != nil:
				s.Samples = append(s.Samples, stale(ends[i]))
			}
		}
		if s = s.ended(ends); len(s.Samples) > 0 {
			all = append(all, s)
		}
	}
	return all
}
