package clocks

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// Step is the largest change between two estimates in a row that neither their bounds
// nor any drift explains; 0 without one. A worker's own clock is monotonic: it is the
// server's that was set, while it was restarted, or the worker's machine that stood still.
func Step(clocks []bundle.Clock) (step int64) {
	for i := 1; i < len(clocks); i++ {
		moved := clocks[i].OffsetNanos - clocks[i-1].OffsetNanos
		if Abs(moved)-clocks[i].BoundNanos-clocks[i-1].BoundNanos > int64(limits.MaxClockStep) && Abs(moved) > Abs(step) {
			step = moved
		}
	}
	return step
}
