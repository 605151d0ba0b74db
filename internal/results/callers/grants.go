package callers

import (
	"context"
	"errors"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"
)

// Permission is an action on kvbench's objects in a namespace; "" is all namespaces.
type Permission struct {
	Namespace string
	Verb      string // of the API server: get, list, create, delete
	Resource  string // of the group kvbench.io, in the plural
}

// Authorizer says whether a user may do something; err means that it couldn't be found out.
type Authorizer interface {
	Allowed(ctx context.Context, who Identity, what Permission) (bool, error)
}

// Grants asks the authorizer, and remembers its answers for some time.
type Grants struct {
	authorizer Authorizer
	now        func() time.Time
	limit      time.Duration // of one question
	slots      chan struct{} // questions under way
	waiting    chan struct{} // those that wait for a slot, and those under way
	flight     singleflight.Group
	allowed    *Cache[question, struct{}]
	denied     *Cache[question, struct{}] // apart, so that a flood of these doesn't push out the others
}

// question is one that can be compared: a group's name has no line break.
type question struct {
	user, groups string
	what         Permission
}

// MaxWaiting bounds the questions that wait. Each one goes on when its caller has gone, so connections don't bound them.
const MaxWaiting = 256

// ErrTooMany is of a question that came when as many waited as may.
var ErrTooMany = errors.New("too many questions wait for an answer of the API server")

// deniedFor is short: whoever gets a right tries it at once.
const deniedFor = 5 * time.Second

// NewGrants remembers size answers for ttl, and has as many questions under way as parallel says, each for as long as limit.
func NewGrants(authorizer Authorizer, now func() time.Time, size int, ttl time.Duration, parallel int, limit time.Duration) *Grants {
	return &Grants{authorizer: authorizer, now: now, limit: limit, slots: make(chan struct{}, parallel), waiting: make(chan struct{}, MaxWaiting),
		allowed: NewCache[question, struct{}](size, ttl), denied: NewCache[question, struct{}](size, min(ttl, deniedFor))}
}

// Allowed says whether the caller may do it.
func (g *Grants) Allowed(ctx context.Context, who Identity, what Permission) (bool, error) {
	if who.Username == "" {
		return false, nil
	}
	asked := question{who.Username, strings.Join(who.Groups, "\n"), what}
	if _, ok := g.allowed.Get(asked, g.now()); ok {
		return true, nil
	}
	if _, ok := g.denied.Get(asked, g.now()); ok {
		return false, nil
	}
	// All that wait for the answer share it, so it doesn't end with one of them.
	result := g.flight.DoChan(strings.Join([]string{asked.user, asked.groups, what.Namespace, what.Verb, what.Resource}, "\x00"), func() (any, error) {
		return g.ask(who, what, asked)
	})
	select {
	case done := <-result:
		if done.Err != nil {
			return false, done.Err
		}
		return done.Val.(bool), nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (g *Grants) ask(who Identity, what Permission, asked question) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), g.limit)
	defer cancel()
	select {
	case g.waiting <- struct{}{}:
		defer func() { <-g.waiting }()
	default:
		return false, ErrTooMany
	}
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	allowed, err := g.authorizer.Allowed(ctx, who, what)
	if err != nil {
		return false, err
	}
	answers := g.denied
	if allowed {
		answers = g.allowed
	}
	answers.Put(asked, struct{}{}, g.now())
	return allowed, nil
}
