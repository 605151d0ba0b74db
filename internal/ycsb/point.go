package ycsb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// Point is one step of a search or a sweep: what a load brought.
type Point struct {
	Rate       float64        `json:"rate,omitempty"`    // operations/s that were asked for, in an open loop
	Threads    int            `json:"threads,omitempty"` // in a closed loop
	Throughput float64        `json:"throughput"`        // successes/s that ended in the window
	Operations []PointLatency `json:"operations"`
	// NeverStarted waited for a slot until the end. They have no response time: with them, the
	// latencies are lower bounds, which Censored says.
	NeverStarted int64    `json:"neverStarted"`
	Censored     bool     `json:"responseTimeCensored"`
	Met          *bool    `json:"met,omitempty"`     // the objectives, in a search
	Invalid      []string `json:"invalid,omitempty"` // why the figures may not be believed

	figures *figures
}

// PointLatency is the latency of the successes of one kind of operation: the response time
// in an open loop, the service time in a closed one.
type PointLatency struct {
	Operation string  `json:"operation"`
	Succeeded int64   `json:"succeeded"`
	Failed    int64   `json:"failed"`
	Micros    []int64 `json:"micros"` // of the percentiles, in their order
	MaxMicros int64   `json:"maxMicros"`
}

// steps makes one point after the other.
type steps struct {
	*Settings
	screen *Screen
	made   int
}

// step measures once. A step that isn't valid is a point too; failed operations are in it.
func (s *steps) step(ctx context.Context, rate float64, threads int) (*Point, error) {
	s.made++
	settings, command, client := *s.Settings, *s.Command, *s.client
	settings.Command, settings.client = &command, &client
	settings.Rate, settings.RateSet = rate, rate > 0
	settings.SeedSet = settings.SeedSet || s.made > 1 // it is said once
	if threads > 0 {
		client.Threads = threads
	}
	settings.label = fmt.Sprintf("step %d: %s", s.made, settings.label)
	if s.Bundle != "" {
		settings.Bundle = filepath.Join(s.Bundle, fmt.Sprintf("step-%d", s.made))
	}
	var p *Point
	err := settings.measure(ctx, s.screen, nil, func(_ *run, f *figures) error {
		if f.report != nil { // else the worker did not get to its end, and the error says why
			p = newPoint(f, client.Percentiles)
		}
		return nil
	})
	var notValid *NotValid
	var failures *Failures
	switch {
	case errors.As(err, &notValid):
		p.Invalid = notValid.Reasons
	case err != nil && !errors.As(err, &failures):
		return nil, s.afterFigures(err)
	}
	if p.Rate = rate; rate == 0 {
		p.Threads = client.Threads
	}
	// The next step's inserts must not meet those of this one.
	s.inserted += p.figures.Finish.Operations
	return p, nil
}

// afterFigures makes what would be bad input of a first step, such as a store that doesn't
// answer, the failure of a later one: there are figures by then.
func (s *steps) afterFigures(err error) error {
	var bad BadInput
	if s.made > 1 && (errors.As(err, &bad) || errors.Is(err, loadgen.ErrUnreachable) || errors.Is(err, loadgen.ErrNotOpened)) {
		return fmt.Errorf("step %d: %s", s.made, err.Error()) // nobody is to take it for what it wraps
	}
	return err
}

func newPoint(f *figures, percentiles []float64) *Point {
	w := &f.report.Workloads[0]
	p := &Point{Throughput: w.Throughput, NeverStarted: w.NeverStarted, Censored: w.ResponseTimeCensored, figures: f}
	for kind := range stores.NumKinds {
		name := kind.String()
		h := f.Succeeded(name)
		failed := f.Failed(name)
		if h == nil && failed == 0 {
			continue
		}
		if h == nil {
			h = histogram.New()
		}
		p.Operations = append(p.Operations, PointLatency{
			Operation: name, Succeeded: h.TotalCount(), Failed: failed,
			Micros: histogram.Percentiles(h, percentiles...), MaxMicros: h.Max(),
		})
	}
	return p
}

// meets says whether all objectives are met. Nobody knows of which kind an operation would
// have been that never started: of each kind, as many as its share of the workload. Its
// error is that there is no answer either way: the window has no operation of a kind, or an
// objective is missed and may not have been without the generator's own lag (NotValid).
func (p *Point) meets(objectives []Objective, spec *workload.Spec) (bool, error) {
	missed := false
	var undecided []string
	for _, o := range objectives {
		name := o.Kind.String()
		h := p.figures.Succeeded(name)
		failed := p.figures.Failed(name) + int64(math.Ceil(float64(p.NeverStarted)*shareOf(spec, o.Kind)))
		if h == nil && failed == 0 {
			return false, fmt.Errorf("%s operations/s: there was no %s in the window; use a longer --duration", number(p.Rate), o.Kind)
		}
		switch got := reached(h, failed, o.Percentile); {
		case got <= o.Bound:
		case surelyMissed(h, p.figures.Lag, failed, o):
			missed = true
		default:
			undecided = append(undecided, fmt.Sprintf("%s: %s is missed with %s, but may be met without the lag of the sends, whose p99 is %s",
				report.GeneratorLag, o, inTime(got), time.Duration(histogram.Percentiles(p.figures.Lag, 99)[0])*time.Microsecond))
		}
	}
	if !missed && undecided != nil {
		p.Invalid = undecided
		return false, &NotValid{undecided}
	}
	return !missed, nil
}

func inTime(reached time.Duration) string {
	if reached == never {
		return "too few successes"
	}
	return reached.String()
}

// atLeast bounds a window from below: in less there is nothing to measure.
const atLeast = time.Second

// settleSteps checks what a search and a sweep have in common.
func (s *Settings) settleSteps() error {
	switch {
	case s.Load:
		return errors.New("only a run can be repeated")
	case s.client.MaxExecutionTime < atLeast:
		return errors.New("--duration: must be 1s or more, for each step")
	case s.client.Target > 0 || s.RateSet:
		return errors.New("target and --rate are set by the steps: leave them out")
	}
	return nil
}
