package conn

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// hasher greets one client after the other, and each costs it that much. It goes on with those that have left.
type hasher struct {
	cost time.Duration

	mu    sync.Mutex
	until time.Time // it has work
	asked int
}

func (h *hasher) greet(ctx context.Context, reached net.Conn) (Link, error) {
	h.mu.Lock()
	if now := time.Now(); h.until.Before(now) {
		h.until = now
	}
	h.until = h.until.Add(h.cost)
	h.asked++
	mine := time.NewTimer(time.Until(h.until))
	h.mu.Unlock()
	select {
	case <-mine.C:
		return &fakeLink{of: &fake{}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Sixteen greetings at a time are not in time here, however often they are asked for: the member is busy with those that
// nobody waits for any more.
func TestAMemberWhoseGreetingsCostMuchIsNotAskedForTooMany(t *testing.T) {
	for _, c := range []struct {
		what   string
		cost   time.Duration
		within time.Duration
		atOnce int
		longer time.Duration // than the greetings take the member, at most
	}{
		{"as many as are in time", time.Second / 2, 3 * time.Second, 4, time.Second},
		{"more than are in time", 2 * time.Second, 3 * time.Second, 4, 20 * time.Second},
		{"a greeting that takes longer than an attempt has at first", 7 * time.Second / 2, 3 * time.Second, 4, 2 * time.Minute},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const connections = 16
				h := &hasher{cost: c.cost}
				reach := func(context.Context) (net.Conn, error) {
					ours, _ := net.Pipe()
					return ours, nil
				}
				began := time.Now()
				p := NewPlaces([]Opener{{Reach: reach, Greet: h.greet, Within: c.within, AtOnce: c.atOnce}}, &Counts{}, connections, 1)
				defer p.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				if err := p.Await(ctx); err != nil {
					t.Fatalf("%v, after %d greetings", err, h.asked)
				}
				if took := time.Since(began); took > connections*c.cost+c.longer {
					t.Errorf("it took %s, and %d greetings of %s", took, h.asked, c.cost)
				}
			})
		})
	}
}
