package etcd

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/kvbench/kvbench/internal/stores"
)

// Repair makes the run's user, if the members are to ask for one and have none, and tells of members
// that were taken in anew. They see to that themselves, before they start: see Join.
func (o *observer) Repair(ctx context.Context, timeout time.Duration) (did string, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var done []string
	if o.setsUp && o.users.notEnabled() {
		made, failure := o.setUp(ctx)
		if made {
			done = append(done, "made the user "+o.users.user.name+", and enabled authentication")
		}
		err = failure
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if told := o.identities.take(); told != "" {
		done = append(done, told)
	}
	return strings.Join(done, "; "), err
}

// setsUp says whether it is this observer that makes the user: not of members that are others'.
func setsUp(cfg stores.Config, users *tokens) bool {
	return users != nil && !cfg.Shared
}

// setUp has one member after the other do it, until one has.
func (o *observer) setUp(ctx context.Context) (made bool, err error) {
	var failures []error
	for _, member := range o.auths {
		made, err := o.users.user.setUp(ctx, member)
		if err == nil {
			o.users.newest.Load().renew()
			return made, nil
		}
		failures = append(failures, err)
	}
	return false, errors.Join(failures...)
}

// askInTurn asks the members for a token, until one of them has an answer. One that hangs isn't the
// first that is asked the next time.
func (o *observer) askInTurn(ctx context.Context, user authenticator) (text string, err error) {
	for range o.auths {
		o.turn = (o.turn + 1) % len(o.auths)
		text, err = user.authenticate(ctx, o.auths[o.turn])
		if err == nil || ctx.Err() != nil || isRefusal(rpctypes.ErrorDesc(err)) {
			break
		}
	}
	return text, err
}

// troubled are the states of members none of which can be what the run asks for, though some
// answer; trouble says why.
func troubled(states []stores.MemberState, trouble string) []stores.MemberState {
	for i := range states {
		if trouble != "" && (states[i].Error == "" || strings.HasPrefix(states[i].Error, stores.CodeUnauthorized)) {
			states[i].Healthy, states[i].Error = false, stores.CutError(trouble)
		}
	}
	return states
}
