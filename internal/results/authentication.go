package results

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	maxTokenBytes = 8 << 10
	reviewTTL     = time.Minute
	reviewLimit   = 10 * time.Second
)

// authenticator asks the reviewer, and remembers the answers for a minute.
type authenticator struct {
	reviewer callers.Reviewer
	now      func() time.Time
	slots    chan struct{} // reviews under way
	waiting  chan struct{} // those that wait for a slot, and those under way
	flight   singleflight.Group
	counted  func(answer string)

	// Apart, so that a flood of bad tokens doesn't push out the good ones.
	valid, invalid *callers.Cache[[sha256.Size]byte, callers.Identity]
}

type answer struct {
	who   callers.Identity
	valid bool
}

// identify finds the caller of a request by its Authorization header.
func (a *authenticator) identify(ctx context.Context, header string) (callers.Identity, error) {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxTokenBytes {
		return callers.Identity{}, refuse(wire.ReasonUnauthenticated, "the request needs a bearer token")
	}
	key := sha256.Sum256([]byte(token))
	now := a.now()
	if who, ok := a.valid.Get(key, now); ok {
		return who, nil
	}
	if _, ok := a.invalid.Get(key, now); ok {
		return callers.Identity{}, refuseToken()
	}
	// The review is shared by all that wait for it, so it doesn't end with one of them.
	result := a.flight.DoChan(string(key[:]), func() (any, error) { return a.review(token, key) })
	select {
	case done := <-result:
		if done.Err != nil {
			return callers.Identity{}, refuse(wire.ReasonUnavailable, "the token can't be reviewed now: %v", done.Err)
		}
		if reviewed := done.Val.(answer); reviewed.valid {
			return reviewed.who, nil
		}
		return callers.Identity{}, refuseToken()
	case <-ctx.Done():
		return callers.Identity{}, refuse(wire.ReasonUnavailable, "the token was still under review when the caller went away: %v", ctx.Err())
	}
}

func refuseToken() error {
	return refuse(wire.ReasonUnauthenticated, "the token is expired, of another audience, of nobody, or made for more than an hour")
}

func (a *authenticator) review(token string, key [32]byte) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), reviewLimit)
	defer cancel()
	select {
	case a.waiting <- struct{}{}:
		defer func() { <-a.waiting }()
	default: // their callers may be gone, so connections don't bound them
		a.counted("busy")
		return answer{}, callers.ErrTooMany
	}
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
		a.valid.Put(key, who, a.now())
	default:
		a.counted("invalid")
		a.invalid.Put(key, who, a.now())
	}
	return answer{who, valid}, nil
}
