package results

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// Identity is who a token belongs to. The pod is known for the tokens that the kubelet
// puts into pods, and empty otherwise.
type Identity struct {
	Username string
	PodName  string
	PodUID   string
}

// Reviewer says whose token it is. valid is false for a token that is nobody's, of
// another audience, or expired; err means that it couldn't be found out.
type Reviewer interface {
	Review(ctx context.Context, token string) (who Identity, valid bool, err error)
}

const (
	maxTokenBytes = 8 << 10
	reviewTTL     = time.Minute
	reviewLimit   = 10 * time.Second
)

// authenticator asks the reviewer, and remembers the answers for a minute.
type authenticator struct {
	reviewer Reviewer
	now      func() time.Time
	slots    chan struct{} // reviews under way
	flight   singleflight.Group
	counted  func(answer string)

	// Apart, so that a flood of bad tokens doesn't push out the good ones.
	valid, invalid *tokenCache
}

type answer struct {
	who   Identity
	valid bool
}

// identify finds the caller of a request by its Authorization header.
func (a *authenticator) identify(ctx context.Context, header string) (Identity, error) {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxTokenBytes {
		return Identity{}, refuse(wire.ReasonUnauthenticated, "the request needs a bearer token")
	}
	key := sha256.Sum256([]byte(token))
	now := a.now()
	if who, ok := a.valid.get(key, now); ok {
		return who, nil
	}
	if _, ok := a.invalid.get(key, now); ok {
		return Identity{}, refuseToken()
	}
	// The review is shared by all that wait for it, so it doesn't end with one of them.
	result := a.flight.DoChan(string(key[:]), func() (any, error) { return a.review(token, key) })
	select {
	case done := <-result:
		if done.Err != nil {
			return Identity{}, refuse(wire.ReasonUnavailable, "the token can't be reviewed now: %v", done.Err)
		}
		if reviewed := done.Val.(answer); reviewed.valid {
			return reviewed.who, nil
		}
		return Identity{}, refuseToken()
	case <-ctx.Done():
		return Identity{}, refuse(wire.ReasonUnavailable, "the token was still under review when the caller went away: %v", ctx.Err())
	}
}

func refuseToken() error {
	return refuse(wire.ReasonUnauthenticated, "the token is expired, of another audience, or of nobody")
}

func (a *authenticator) review(token string, key [32]byte) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), reviewLimit)
	defer cancel()
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		a.counted("busy")
		return answer{}, ctx.Err()
	}
	who, valid, err := a.reviewer.Review(ctx, token)
	switch {
	case err != nil:
		a.counted("error")
		return answer{}, err
	case valid:
		a.counted("valid")
		a.valid.put(key, who, a.now())
	default:
		a.counted("invalid")
		a.invalid.put(key, who, a.now())
	}
	return answer{who, valid}, nil
}

// tokenCache remembers at most size tokens, by their digests.
type tokenCache struct {
	size int

	mu      sync.Mutex
	entries map[[32]byte]cached
}

type cached struct {
	who     Identity
	expires time.Time
}

func newTokenCache(size int) *tokenCache {
	return &tokenCache{size: size, entries: map[[32]byte]cached{}}
}

func (c *tokenCache) get(key [32]byte, now time.Time) (Identity, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[key]
	return entry.who, ok && now.Before(entry.expires)
}

// put makes room by dropping what has expired, or else any one.
func (c *tokenCache) put(key [32]byte, who Identity, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= c.size {
		for other, entry := range c.entries {
			if !now.Before(entry.expires) {
				delete(c.entries, other)
			}
		}
	}
	if len(c.entries) >= c.size {
		for other := range c.entries {
			delete(c.entries, other)
			break
		}
	}
	c.entries[key] = cached{who, now.Add(reviewTTL)}
}
