package clocks

import (
	"fmt"
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
)

const maxOffsetNanos = math.MaxInt64 / 4 // 73 years between two clocks

// Check refuses an estimate that no program can have made.
func Check(c *bundle.Clock) error {
	if c.BoundNanos < 0 || c.BoundNanos > bundle.MaxClockBoundNanos || c.OffsetNanos > maxOffsetNanos || c.OffsetNanos < -maxOffsetNanos {
		return fmt.Errorf("a clock with offset %d ns and bound %d ns", c.OffsetNanos, c.BoundNanos)
	}
	return nil
}
