package etcd

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// isSimple says that a token is of etcd's default kind, which members keep in memory: letters, a dot,
// and the index of a raft entry. A signed one has two dots. A member that is one entry behind the one
// that gave it refuses a simple token: it waits for the entry before the token's own (etcd 3.7,
// apply/backend.go, Authenticate; auth/simple_token.go, isValidSimpleToken).
func isSimple(text string) bool {
	_, index, _ := strings.Cut(text, ".")
	_, err := strconv.ParseUint(index, 10, 64)
	return err == nil
}

// askAgainEvery is between two questions to a member that has no answer yet.
const askAgainEvery = 50 * time.Millisecond

// catchUp returns when each member has applied what the others had when it was called, or is away, or
// when ctx ends: for one that is silent, or cut off from the others. A linearizable read waits for that
// before it asks who reads.
func (m members) catchUp(ctx context.Context) {
	conns, err := m.dial()
	if err != nil {
		return
	}
	defer func() { _ = closeAll(conns) }() // what was asked is answered
	var all sync.WaitGroup
	for _, conn := range conns {
		all.Go(func() {
			member := pb.NewKVClient(conn)
			for {
				_, err := member.Range(ctx, pingRequest(false))
				if status.Code(err) != codes.Unavailable || isAway(err) {
					return
				}
				// There is no leader, or another one; or no connection yet.
				select {
				case <-ctx.Done():
					return
				case <-time.After(askAgainEvery):
				}
			}
		})
	}
	all.Wait()
}

// isAway says that there is no process to connect to.
func isAway(err error) bool {
	text := err.Error()
	return strings.Contains(text, "connection refused") || strings.Contains(text, "no such host")
}
