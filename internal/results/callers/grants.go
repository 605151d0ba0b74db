package callers

import (
	"context"
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
	flight     singleflight.Group
	answers    *Cache[question, bool]
}

// question is one that can be compared: a group's name has no line break.
type question struct {
	user, groups string
	what         Permission
}

// NewGrants remembers size answers for ttl, and has as many questions under way as parallel says, each for as long as limit.
func NewGrants(authorizer Authorizer, now func() time.Time, size int, ttl time.Duration, parallel int, limit time.Duration) *Grants {
	return &Grants{authorizer: authorizer, now: now, limit: limit, slots: make(chan struct{}, parallel), answers: NewCache[question, bool](size, ttl)}
}

// Allowed says whether the caller may do it.
func (g *Grants) Allowed(ctx context.Context, who Identity, what Permission) (bool, error) {
	if who.Username == "" {
		return false, nil
	}
	asked := question{who.Username, strings.Join(who.Groups, "\n"), what}
	if allowed, ok := g.answers.Get(asked, g.now()); ok {
		return allowed, nil
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
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	allowed, err := g.authorizer.Allowed(ctx, who, what)
	if err != nil {
		return false, err
	}
	g.answers.Put(asked, allowed, g.now())
	return allowed, nil
}
