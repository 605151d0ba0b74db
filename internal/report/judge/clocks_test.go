package judge_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestTheFaultsBracketIsWidenedByBothClocks(t *testing.T) {
	for _, c := range []struct {
		name                 string
		worker, controller   int64 // micros
		bound, after, before int64
		reasons              []string
	}{
		{"the controller says nothing", 100, 0, 100, 100, 100, nil},
		{"both say", 100, 4_000, 4_000, 4_100, 4_100, nil},
		{"the worker's is larger", 3_000, 1_000, 3_000, 4_000, 4_000, nil},
		{"the controller's is more than can be told", 100, 7_200e6, 3_600e6, limits.MaxWideningMicros, limits.MaxWideningMicros, []string{report.ClockUncertain}},
		{"the controller's is too large", 100, 11_000, 11_000, 11_100, 11_100, []string{report.ClockUncertain}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Clock.BoundNanos = c.worker * instant.NanosPerMicro
			s.Fault.ClockBoundNanos = c.controller * instant.NanosPerMicro
			// Well before the kill, so that the widening has no other effect.
			r := reporttest.Report(t, s.Build(t))
			if *r.Clock.BoundMicros != c.bound {
				t.Errorf("the clocks' bound is %d µs, want %d", *r.Clock.BoundMicros, c.bound)
			}
			in := r.Faults[0].InjectedAt
			bundletest.Near(t, "after", in.After.SinceStartMicros, 8*bundletest.Second+10*bundletest.Millisecond-c.after, 1)
			bundletest.Near(t, "before", in.Before.SinceStartMicros, 8*bundletest.Second+200*bundletest.Millisecond+c.before, 1)
			if len(r.InvalidReasons) != len(c.reasons) || len(c.reasons) > 0 && r.InvalidReasons[0].Reason != c.reasons[0] {
				t.Errorf("reasons are %v, want %v", r.InvalidReasons, c.reasons)
			}
		})
	}
}

// The numbers are made with the first estimate on a clock that isn't set: they are the same
// ones. But nobody can be sure which of the clocks stood still, and for how long.
func TestAReportOfAStepHasItsOwnReasonAndTheSameNumbers(t *testing.T) {
	whole := reporttest.Report(t, reporttest.NewSituation().Build(t))
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		for _, workers := range [][]int{{0}, {0, 1}} { // one worker's machine, or the server's
			t.Run(step.String(), func(t *testing.T) {
				s := reporttest.NewSituation()
				files := s.Build(t)
				moved := s.Clock
				moved.OffsetNanos += int64(step)
				for _, worker := range workers {
					name := bundletest.WorkerOf(worker).File(bundle.Jsonl)
					first := bytes.IndexByte(files[name].Data, '\n') + 1
					files.Put(name, slices.Concat(files[name].Data[:first], bundletest.Line(bundle.SelfLine{AtUnixNanos: s.Nanos(bundletest.Second), Clock: &moved}), files[name].Data[first:]))
					files.End(name)
				}
				r := reporttest.Report(t, files)
				if r.Valid || len(r.InvalidReasons) != 1 || r.InvalidReasons[0].Reason != report.ClockStepped {
					t.Fatalf("valid: %t, reasons %v", r.Valid, r.InvalidReasons)
				}
				if got, want := r.Workloads[0], whole.Workloads[0]; got.Throughput != want.Throughput || got.Succeeded != want.Succeeded || got.DurationMicros != want.DurationMicros {
					t.Errorf("the numbers are others: %+v", got)
				}
				if r.Clock.BoundMicros == nil || *r.Clock.BoundMicros < step.Abs().Microseconds() {
					t.Errorf("the clocks' bound is %v", r.Clock.BoundMicros)
				}
			})
		}
	}
}
