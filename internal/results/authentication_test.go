package results

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/client"
)

// hands is a clock that is set by hand.
type hands struct {
	mu  sync.Mutex
	now time.Time
}

func (c *hands) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *hands) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestReviewsAreRememberedForAMinute(t *testing.T) {
	clock := &hands{now: time.Unix(1_700_000_000, 0)}
	h := newHarness(t, func(c *Config) { c.Now = clock.Now })
	for _, c := range []struct {
		what    string
		token   string
		after   time.Duration
		revoked bool
		down    bool
		reviews int64
		want    error
	}{
		{what: "the first time", token: "reader", reviews: 1},
		{what: "remembered", token: "reader", after: 59 * time.Second},
		{what: "remembered while the API server is away", token: "reader", down: true},
		{what: "asked again after a minute", token: "reader", after: time.Second, reviews: 1},
		{what: "a bad token", token: "forged", reviews: 1, want: client.ErrUnauthenticated},
		{what: "a bad token again", token: "forged", want: client.ErrUnauthenticated},
		{what: "nothing is known and nobody can be asked", token: "worker", down: true, reviews: 1, want: statusError(503)},
		{what: "a failure isn't remembered", token: "worker", reviews: 1},
		{what: "revoked", token: "reader", revoked: true, after: 2 * time.Minute, reviews: 1, want: client.ErrUnauthenticated},
	} {
		clock.add(c.after)
		h.reviewer.down.Store(c.down)
		if c.revoked {
			delete(h.reviewer.who, c.token)
		}
		before := h.reviewer.asked.Load()
		_, err := h.as(c.token).Time(t.Context())
		expect(t, c.what, err, c.want)
		if asked := h.reviewer.asked.Load() - before; asked != c.reviews {
			t.Errorf("%s: %d reviews, want %d", c.what, asked, c.reviews)
		}
	}
}

// closing is a reviewer that answers when it is closed.
type closing chan struct{}

func (c closing) Review(context.Context, string) (callers.Identity, bool, error) {
	<-c
	return callers.Identity{}, false, nil
}

// It is no failure of the server's, of which there would be a word in the log and a 500 in the metrics.
func TestACallerWhoGoesAwayDuringTheReviewIsNoFailure(t *testing.T) {
	reviewer := make(closing)
	defer close(reviewer)
	h := newHarness(t, func(c *Config) { c.Reviewer = reviewer })
	ctx, cancel := context.WithCancel(t.Context())
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/time", nil)
	request.Header.Set("Authorization", "Bearer reader")
	cancel()
	answer := httptest.NewRecorder()
	h.server.ServeHTTP(answerWriter{answer}, request)
	if answer.Code != http.StatusServiceUnavailable {
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}

func TestAFloodOfBadTokensPushesOutNoGoodOne(t *testing.T) {
	h := newHarness(t, func(c *Config) { c.Limits.CachedTokens = 4 })
	_, err := h.as("reader").Time(t.Context())
	must(t, err)
	for i := range 20 {
		_, err := h.as(fmt.Sprint("forged-", i)).Time(t.Context())
		expect(t, "forged", err, client.ErrUnauthenticated)
	}
	before := h.reviewer.asked.Load()
	_, err = h.as("reader").Time(t.Context())
	must(t, err)
	if asked := h.reviewer.asked.Load() - before; asked != 0 {
		t.Error("the good token was forgotten")
	}
	if held := h.server.auth.invalid.Len(); held > 4 {
		t.Errorf("%d bad tokens are held", held)
	}
}
