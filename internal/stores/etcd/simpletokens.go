package etcd

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// spreadTimeout bounds the wait for a member that is reached, and hears nothing from the others.
const spreadTimeout = time.Second

// asking gets a token for a user.
type asking func(context.Context, authenticator) (string, error)

// isSimple says that a token is of etcd's default kind, which members keep in memory: letters, a dot,
// and the index of a raft entry. A signed one has two dots.
func isSimple(text string) bool {
	_, index, _ := strings.Cut(text, ".")
	_, err := strconv.ParseUint(index, 10, 64)
	return err == nil
}

// spreading asks for tokens, and hands simple ones out when all members have them. A member that is
// one entry behind the one that gave it refuses a simple token: it waits for the entry before the
// token's own (etcd 3.7, apply/backend.go, Authenticate; auth/simple_token.go, isValidSimpleToken).
func (m members) spreading(ask asking) asking {
	return func(ctx context.Context, user authenticator) (string, error) {
		text, err := ask(ctx, user)
		if err == nil && isSimple(text) {
			m.catchUp(ctx)
		}
		return text, err
	}
}

// catchUp returns when each member has applied what the others had when it was called. That is what
// a linearizable read waits for, before anything else of it can be refused. Members that are away are
// not waited for.
func (m members) catchUp(ctx context.Context) {
	conns, err := m.dial()
	if err != nil {
		return
	}
	defer func() { _ = closeAll(conns) }() // what was asked is answered
	ctx, cancel := context.WithTimeout(ctx, spreadTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, conn := range conns {
		all.Go(func() {
			_, _ = pb.NewKVClient(conn).Range(ctx, pingRequest(false))
		})
	}
	all.Wait()
}
