package loadgen

import (
	"context"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/monotonic"
	"github.com/kvbench/kvbench/internal/results/client"
)

// Clock is the program's clock, which no step of the machine's moves; once mapped, it also
// tells the server's time.
type Clock struct {
	*monotonic.Clock
	offset int64 // nanoseconds to add for the server's time
}

// NewClock begins now; now is time.Now.
func NewClock(now func() time.Time) *Clock { return &Clock{Clock: monotonic.New(now)} }

// ServerNanos is an instant in Unix nanoseconds on the server's clock.
func (c *Clock) ServerNanos(at time.Time) int64 { return at.UnixNano() + c.offset }

// Local is the local instant of a time on the server's clock.
func (c *Clock) Local(serverNanos int64) time.Time {
	return c.Begin().Add(time.Duration(serverNanos - c.offset - c.Begin().UnixNano()))
}

// exchanges is how often the server's time is asked for in one estimate.
const exchanges = 12

// Map finds the server's clock. Instants before and after mean different things, so it
// is done once, before anything is measured.
func (c *Clock) Map(ctx context.Context, results Results) (bundle.Clock, error) {
	var estimate bundle.Clock
	err := patiently(ctx, func() (err error) {
		estimate, err = results.EstimateClock(ctx, exchanges)
		return err
	})
	if err != nil {
		return bundle.Clock{}, fmt.Errorf("compare the clock with the results server's: %w", err)
	}
	c.offset = estimate.OffsetNanos
	return estimate, nil
}

const (
	// retryPause is the time between attempts on a results server that is away.
	retryPause = 500 * time.Millisecond
	// patience bounds the attempts. The controller gives the workers five minutes to arm:
	// who gives up before can still say what it waited for.
	patience = 4 * time.Minute
)

// patiently repeats what may succeed later: the server is away or full, or the token has
// run out and the kubelet hasn't put a new one in its place yet.
func patiently(ctx context.Context, do func() error) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := do()
	for err != nil && client.Transient(err) && wait(limited, retryPause) {
		err = do()
	}
	return err
}

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
