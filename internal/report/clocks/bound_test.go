package clocks

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

const nanosPerMilli = 1_000_000

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
				clocks = append(clocks, bundle.Clock{OffsetNanos: e.offset * nanosPerMilli, BoundNanos: e.bound * nanosPerMilli})
			}
			if got := Error(clocks); got != c.bound*nanosPerMilli {
				t.Errorf("the bound is %d ns, want %d ms", got, c.bound)
			}
		})
	}
}
