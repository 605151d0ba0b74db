package clocks

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
)

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
			var seen Observer
			for _, e := range c.estimates {
				seen.Add(&bundle.TopologyLine{Begins: e.begins, Clock: &bundle.Clock{OffsetNanos: e.offset * nanosPerMilli, BoundNanos: e.bound * nanosPerMilli}})
				seen.Add(&bundle.TopologyLine{})
			}
			if errNanos, stepNanos, any := seen.Within(instant.Clock{}); !any || errNanos != c.bound*nanosPerMilli || stepNanos != c.step*nanosPerMilli {
				t.Errorf("an error of %d ns and a step of %d, want %d and %d ms", errNanos, stepNanos, c.bound, c.step)
			}
		})
	}
}

// The observer lives from the deployment on. What happens to clocks then, or after the last
// workload, says nothing of what was measured.
func TestAnObserversClockCountsAroundAWorkload(t *testing.T) {
	const hour = 3600 * bundletest.Second
	type look struct {
		at          int64 // from the start, as the line says
		offset, bad int64 // ms; an estimate, unless bad is 0
	}
	for _, c := range []struct {
		name        string
		looks       []look
		bound, step int64 // ms
	}{
		{"a step in the deployment", []look{{-60 * bundletest.Second, 0, 1}, {-50 * bundletest.Second, 3000, 1}, {-40 * bundletest.Second, 3000, 1}, {30 * bundletest.Second, 3000, 1}}, 1, 0},
		{"noise in the deployment", []look{{-60 * bundletest.Second, 0, 1}, {-50 * bundletest.Second, 0, 30}, {-40 * bundletest.Second, 0, 1}, {30 * bundletest.Second, 0, 1}}, 1, 0},
		{"up to just before the start", []look{{-13 * bundletest.Second, 0, 1}, {-3 * bundletest.Second, 3000, 1}, {7 * bundletest.Second, 3000, 1}}, 1, 0},
		{"reaching up to it", []look{{-11 * bundletest.Second, 0, 1}, {-bundletest.Second, 3000, 1}, {9 * bundletest.Second, 3000, 1}}, 3001, 3000},
		{"in the middle", []look{{5 * bundletest.Second, 0, 1}, {15 * bundletest.Second, 3000, 1}}, 3001, 3000},
		{"in the cool-down", []look{{0, 0, 1}, {22 * bundletest.Second, 0, 1}, {32 * bundletest.Second, 3000, 1}}, 3001, 3000},
		{"after the recorded end", []look{{0, 0, 1}, {28 * bundletest.Second, 0, 1}, {38 * bundletest.Second, 3000, 1}}, 1, 0},
		{"an hour back, in the middle", []look{{5 * bundletest.Second, 0, 1}, {14 * bundletest.Second, 0, 0}, {15*bundletest.Second - hour, -3_600_000, 1}}, 3_600_001, -3_600_000},
		{"an hour back, long before", []look{{-3*hour - 5*bundletest.Second, 0, 1}, {-3*hour + 4*bundletest.Second, 0, 0}, {5*bundletest.Second - 4*hour, -3_600_000, 1}, {15*bundletest.Second - 4*hour, -3_600_000, 1}, {0, -3_600_000, 1}}, 1, 0},
		{"noise that the last lines were stamped with", []look{{-60 * bundletest.Second, 0, 1}, {-50 * bundletest.Second, 0, 30}, {20 * bundletest.Second, 0, 0}}, 30, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			const start = 1_800_000_000 * instant.NanosPerSecond
			var seen Observer
			for _, l := range c.looks {
				line := &bundle.TopologyLine{AtUnixNanos: start + l.at*instant.NanosPerMicro}
				if l.bad != 0 {
					line.Clock = &bundle.Clock{OffsetNanos: l.offset * nanosPerMilli, BoundNanos: l.bad * nanosPerMilli}
				}
				seen.Add(line)
			}
			errNanos, stepNanos, any := seen.Within(instant.Clock{Start: start, Recorded: 27 * bundletest.Second})
			if !any || errNanos != c.bound*nanosPerMilli || stepNanos != c.step*nanosPerMilli {
				t.Errorf("an error of %d ns and a step of %d, want %d and %d ms", errNanos, stepNanos, c.bound, c.step)
			}
		})
	}
}

// An observer may write whatever it likes.
func TestWhatIsKeptOfClocksIsBounded(t *testing.T) {
	var seen Observer
	for i := range int64(maxEstimates + 10) {
		seen.Add(&bundle.TopologyLine{AtUnixNanos: i, Clock: &bundle.Clock{BoundNanos: 1, OffsetNanos: i * 2 * instant.NanosPerSecond}})
	}
	seen.Add(&bundle.TopologyLine{AtUnixNanos: 1 << 60, Clock: &bundle.Clock{BoundNanos: 7}})
	errNanos, stepNanos, _ := seen.Within(instant.Clock{Start: 1 << 60})
	if len(seen.estimates) != maxEstimates || errNanos < 7 || stepNanos == 0 {
		t.Errorf("%d spans, an error of %d and a step of %d", len(seen.estimates), errNanos, stepNanos)
	}
}
