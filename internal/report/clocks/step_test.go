package clocks

import (
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
			if got := Step(clocks); got != int64(c.step) {
				t.Errorf("a step of %s, want %s", time.Duration(got), c.step)
			}
		})
	}
}
