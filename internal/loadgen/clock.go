package loadgen

import (
	"context"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
)

// Clock is the program's monotonic clock with the wall clock's reading at its begin, so
// no step of the wall clock moves it; once mapped, it also tells the server's time.
type Clock struct {
	base   time.Time
	offset int64 // nanoseconds to add for the server's time
}

// NewClock begins at now, which must have a monotonic reading.
func NewClock(now time.Time) *Clock { return &Clock{base: now} }

// Now is the local time, however the wall clock was set since.
func (c *Clock) Now() time.Time { return c.base.Add(time.Since(c.base)) }

// ServerNanos is an instant in Unix nanoseconds on the server's clock.
func (c *Clock) ServerNanos(at time.Time) int64 { return at.UnixNano() + c.offset }

// Local is the local instant of a time on the server's clock.
func (c *Clock) Local(serverNanos int64) time.Time {
	return c.base.Add(time.Duration(serverNanos - c.offset - c.base.UnixNano()))
}

// exchanges is how often the server's time is asked for in one estimate.
const exchanges = 12

// Map finds the server's clock. Instants before and after mean different things, so it
// is done once, before anything is measured.
func (c *Clock) Map(ctx context.Context, results Results) (bundle.Clock, error) {
	estimate, err := results.EstimateClock(ctx, exchanges)
	for err != nil && client.Transient(err) && wait(ctx, retryPause) {
		estimate, err = results.EstimateClock(ctx, exchanges)
	}
	if err != nil {
		return bundle.Clock{}, fmt.Errorf("compare the clock with the results server's: %w", err)
	}
	c.offset = estimate.OffsetNanos
	return estimate, nil
}

// retryPause is the time between attempts on a results server that is away.
const retryPause = 500 * time.Millisecond

// wait waits so long; false when ctx ended meanwhile.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
