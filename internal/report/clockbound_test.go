package report

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestAClocksBoundIsWhatItsEstimatesAllow(t *testing.T) {
	type estimate struct{ offset, bound int64 } // ms
	for _, c := range []struct {
		name      string
		estimates []estimate // the first one makes the instants
		bound     int64      // ms
	}{
		{"one estimate", []estimate{{5, 2}}, 2},
		{"the same again", []estimate{{5, 2}, {5, 2}}, 2},
		{"a noisy one that agrees says nothing", []estimate{{5, 2}, {12, 15}, {-9, 30}}, 2},
		{"a better one that agrees narrows it", []estimate{{5, 6}, {5, 1}}, 1},
		{"a better one, off the middle of the first", []estimate{{5, 6}, {9, 1}}, 5},
		{"two that overlap", []estimate{{0, 4}, {5, 3}}, 4},
		{"one that contradicts the first", []estimate{{0, 1}, {16, 2}}, 18},
		{"a noisy one that contradicts the first", []estimate{{0, 1}, {40, 30}}, 70},
		{"two that agree with the first and contradict each other", []estimate{{0, 5}, {4, 1}, {-4, 1}}, 5},
		{"a drift: what contradicts counts, what is noisy does not", []estimate{{0, 1}, {3, 100}, {6, 1}}, 7},
		{"a clock that runs behind", []estimate{{0, 1}, {-16, 2}}, 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			var clocks []bundle.Clock
			for _, e := range c.estimates {
				clocks = append(clocks, bundle.Clock{OffsetNanos: e.offset * milli, BoundNanos: e.bound * milli})
			}
			if got := clockError(clocks); got != c.bound*milli {
				t.Errorf("the bound is %d ns, want %d ms", got, c.bound)
			}
		})
	}
}

func TestAnObserversInstantsAreMadeWithItsNewestEstimate(t *testing.T) {
	type estimate struct {
		offset, bound int64 // ms
		begins        bool
	}
	const hour = 3_600_000
	for _, c := range []struct {
		name        string
		estimates   []estimate
		bound, step int64 // ms
	}{
		{"one", []estimate{{5, 2, true}}, 2, 0},
		{"noise that agrees", []estimate{{5, 2, true}, {9, 3, false}}, 3, 0},
		{"a drift: each is as good as the first", []estimate{{0, 1, true}, {2, 1, false}, {4, 1, false}, {6, 1, false}}, 1, 0},
		{"a machine that stood still for a moment", []estimate{{0, 1, true}, {400, 2, false}, {400, 1, false}}, 402, 0},
		{"for three seconds", []estimate{{0, 1, true}, {3000, 2, false}, {3000, 1, false}}, 3002, 3000},
		{"a clock that was set back", []estimate{{0, 1, true}, {-hour, 1, false}}, hour + 1, -hour},
		{"another process in the same pod", []estimate{{0, 1, true}, {hour, 1, true}, {hour, 1, false}}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var seen clocksSeen
			for _, e := range c.estimates {
				seen.add(&bundle.TopologyLine{Begins: e.begins, Clock: &bundle.Clock{OffsetNanos: e.offset * milli, BoundNanos: e.bound * milli}})
				seen.add(&bundle.TopologyLine{})
			}
			if errNanos, stepNanos, any := seen.within(workloadClock{}); !any || errNanos != c.bound*milli || stepNanos != c.step*milli {
				t.Errorf("an error of %d ns and a step of %d, want %d and %d ms", errNanos, stepNanos, c.bound, c.step)
			}
		})
	}
}

// The observer lives from the deployment on. What happens to clocks then, or after the last
// workload, says nothing of what was measured.
func TestAnObserversClockCountsAroundAWorkload(t *testing.T) {
	const hour = 3600 * sec
	type look struct {
		at          int64 // from the start, as the line says
		offset, bad int64 // ms; an estimate, unless bad is 0
	}
	for _, c := range []struct {
		name        string
		looks       []look
		bound, step int64 // ms
	}{
		{"a step in the deployment", []look{{-60 * sec, 0, 1}, {-50 * sec, 3000, 1}, {-40 * sec, 3000, 1}, {30 * sec, 3000, 1}}, 1, 0},
		{"noise in the deployment", []look{{-60 * sec, 0, 1}, {-50 * sec, 0, 30}, {-40 * sec, 0, 1}, {30 * sec, 0, 1}}, 1, 0},
		{"up to just before the start", []look{{-13 * sec, 0, 1}, {-3 * sec, 3000, 1}, {7 * sec, 3000, 1}}, 1, 0},
		{"reaching up to it", []look{{-11 * sec, 0, 1}, {-sec, 3000, 1}, {9 * sec, 3000, 1}}, 3001, 3000},
		{"in the middle", []look{{5 * sec, 0, 1}, {15 * sec, 3000, 1}}, 3001, 3000},
		{"in the cool-down", []look{{0, 0, 1}, {22 * sec, 0, 1}, {32 * sec, 3000, 1}}, 3001, 3000},
		{"after the recorded end", []look{{0, 0, 1}, {28 * sec, 0, 1}, {38 * sec, 3000, 1}}, 1, 0},
		{"an hour back, in the middle", []look{{5 * sec, 0, 1}, {14 * sec, 0, 0}, {15*sec - hour, -3_600_000, 1}}, 3_600_001, -3_600_000},
		{"an hour back, long before", []look{{-3*hour - 5*sec, 0, 1}, {-3*hour + 4*sec, 0, 0}, {5*sec - 4*hour, -3_600_000, 1}, {15*sec - 4*hour, -3_600_000, 1}, {0, -3_600_000, 1}}, 1, 0},
		{"noise that the last lines were stamped with", []look{{-60 * sec, 0, 1}, {-50 * sec, 0, 30}, {20 * sec, 0, 0}}, 30, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSituation()
			var seen clocksSeen
			for _, l := range c.looks {
				line := &bundle.TopologyLine{AtUnixNanos: s.nanos(l.at)}
				if l.bad != 0 {
					line.Clock = &bundle.Clock{OffsetNanos: l.offset * milli, BoundNanos: l.bad * milli}
				}
				seen.add(line)
			}
			errNanos, stepNanos, any := seen.within(workloadClock{startNanos: s.startNanos, recordedMicros: 27 * sec})
			if !any || errNanos != c.bound*milli || stepNanos != c.step*milli {
				t.Errorf("an error of %d ns and a step of %d, want %d and %d ms", errNanos, stepNanos, c.bound, c.step)
			}
		})
	}
}

// An observer may write whatever it likes.
func TestWhatIsKeptOfClocksIsBounded(t *testing.T) {
	var seen clocksSeen
	for i := range int64(maxClockSpans + 10) {
		seen.add(&bundle.TopologyLine{AtUnixNanos: i, Clock: &bundle.Clock{BoundNanos: 1, OffsetNanos: i * 2 * second}})
	}
	seen.add(&bundle.TopologyLine{AtUnixNanos: 1 << 60, Clock: &bundle.Clock{BoundNanos: 7}})
	errNanos, stepNanos, _ := seen.within(workloadClock{startNanos: 1 << 60})
	if len(seen.spans) != maxClockSpans || errNanos < 7 || stepNanos == 0 {
		t.Errorf("%d spans, an error of %d and a step of %d", len(seen.spans), errNanos, stepNanos)
	}
}

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
		{"the controller's is more than can be told", 100, 7_200e6, 3_600e6, maxWideningMicros, maxWideningMicros, []string{ClockUncertain}},
		{"the controller's is too large", 100, 11_000, 11_000, 11_100, 11_100, []string{ClockUncertain}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSituation()
			s.clock.BoundNanos = c.worker * micro
			s.fault.ClockBoundNanos = c.controller * micro
			// Well before the kill, so that the widening has no other effect.
			r := reportOf(t, s.build(t))
			if *r.Clock.BoundMicros != c.bound {
				t.Errorf("the clocks' bound is %d µs, want %d", *r.Clock.BoundMicros, c.bound)
			}
			in := r.Faults[0].InjectedAt
			near(t, "after", in.After.SinceStartMicros, 8*sec+10*ms-c.after, 1)
			near(t, "before", in.Before.SinceStartMicros, 8*sec+200*ms+c.before, 1)
			if len(r.InvalidReasons) != len(c.reasons) || len(c.reasons) > 0 && r.InvalidReasons[0].Reason != c.reasons[0] {
				t.Errorf("reasons are %v, want %v", r.InvalidReasons, c.reasons)
			}
		})
	}
}
