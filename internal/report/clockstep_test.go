package report

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestAStepIsMoreThanAnyDriftOrNoise(t *testing.T) {
	type estimate struct{ offset, bound time.Duration }
	const quick = time.Millisecond
	for _, c := range []struct {
		name      string
		estimates []estimate
		step      time.Duration
	}{
		{"none", nil, 0},
		{"one", []estimate{{time.Hour, quick}}, 0},
		{"two that agree", []estimate{{5 * time.Millisecond, quick}, {6 * time.Millisecond, quick}}, 0},
		{"a drift over many", []estimate{{0, quick}, {600 * time.Millisecond, quick}, {1200 * time.Millisecond, quick}}, 0},
		{"noise", []estimate{{0, quick}, {2 * time.Second, 1500 * time.Millisecond}, {0, quick}}, 0},
		{"an hour ahead", []estimate{{0, quick}, {time.Hour, quick}}, time.Hour},
		{"an hour back", []estimate{{0, quick}, {-time.Hour, quick}}, -time.Hour},
		{"there and back", []estimate{{0, quick}, {0, quick}, {-time.Hour, quick}, {0, quick}}, -time.Hour},
		{"the larger of two", []estimate{{0, quick}, {2 * time.Second, quick}, {time.Hour, quick}}, time.Hour - 2*time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			var clocks []bundle.Clock
			for _, e := range c.estimates {
				clocks = append(clocks, bundle.Clock{OffsetNanos: int64(e.offset), BoundNanos: int64(e.bound)})
			}
			if got := clockStep(clocks); got != int64(c.step) {
				t.Errorf("a step of %s, want %s", time.Duration(got), c.step)
			}
		})
	}
}

// The numbers are made with the first estimate on a clock that isn't set: they are the same
// ones. But nobody can be sure which of the clocks stood still, and for how long.
func TestAReportOfAStepHasItsOwnReasonAndTheSameNumbers(t *testing.T) {
	whole := reportOf(t, newSituation().build(t))
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		for _, workers := range [][]int{{0}, {0, 1}} { // one worker's machine, or the server's
			t.Run(step.String(), func(t *testing.T) {
				s := newSituation()
				files := s.build(t)
				moved := s.clock
				moved.OffsetNanos += int64(step)
				for _, worker := range workers {
					name := workerOf(worker).File(bundle.Jsonl)
					first := bytes.IndexByte(files[name].Data, '\n') + 1
					files.put(name, slices.Concat(files[name].Data[:first], line(bundle.SelfLine{AtUnixNanos: s.nanos(sec), Clock: &moved}), files[name].Data[first:]))
					files.end(name)
				}
				r := reportOf(t, files)
				if r.Valid || len(r.InvalidReasons) != 1 || r.InvalidReasons[0].Reason != ClockStepped {
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
