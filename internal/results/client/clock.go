package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// Time is the server's clock.
func (c *Client) Time(ctx context.Context) (time.Time, error) {
	var now wire.Time
	if err := c.json(ctx, request{method: http.MethodGet, path: "/v1/time", timeout: requestTimeout}, &now); err != nil {
		return time.Time{}, err
	}
	return time.Unix(0, now.UnixNanos), nil
}

// EstimateClock asks for the time n times, and estimates from the exchange with the
// shortest round trip what must be added to the local clock to get the server's.
func (c *Client) EstimateClock(ctx context.Context, n int) (bundle.Clock, error) {
	if n < 1 {
		return bundle.Clock{}, errors.New("a clock is estimated from at least one exchange")
	}
	exchanges := make([]exchange, 0, n)
	for range n {
		sent := c.now()
		server, err := c.Time(ctx)
		if err != nil {
			return bundle.Clock{}, fmt.Errorf("estimate the clock's offset: %w", err)
		}
		exchanges = append(exchanges, exchange{sent: sent, server: server, received: c.now()})
	}
	return estimate(exchanges), nil
}

type exchange struct{ sent, server, received time.Time }

// estimate takes the exchange with the shortest round trip: the server read its clock
// somewhere in it, so its middle is wrong by at most half of it.
func estimate(exchanges []exchange) bundle.Clock {
	best := exchanges[0]
	for _, e := range exchanges[1:] {
		if e.received.Sub(e.sent) < best.received.Sub(best.sent) {
			best = e
		}
	}
	half := best.received.Sub(best.sent) / 2
	return bundle.Clock{
		OffsetNanos: best.server.UnixNano() - best.sent.Add(half).UnixNano(),
		BoundNanos:  int64(half) + 1, // the halving rounds down
	}
}
