package statetest

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Clocks are the local clock and the results server's, as the controller sees them.
type Clocks struct {
	FailingResults
	Local         time.Time
	Offset, Bound time.Duration
	Away          error
}

func (c *Clocks) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{OffsetNanos: int64(c.Offset), BoundNanos: int64(c.Bound)}, c.Away
}
