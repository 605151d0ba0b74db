package etcd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
)

// What is written within a second shares a lease: one for each record would double the
// requests. A lease serves for a second more, which is the time to get the next one in.
const (
	leaseEvery = time.Second
	leaseSlack = time.Second
)

// leases have a lease ready for what is written, ahead of the operations. Nothing is
// revoked at the end: records stay their time after the program, too, and etcd removes each
// lease with its last record.
type leases struct {
	client  pb.LeaseClient
	ttl     time.Duration
	timeout time.Duration // of a grant
	newest  atomic.Pointer[lease]
}

// lease is what became of an attempt to get one.
type lease struct {
	id    int64
	until time.Time     // what is sent before stays its time to live at least
	err   error         // why it wasn't granted; id and until are those of the one before
	next  chan struct{} // closed when there is another
}

func newLeases(client pb.LeaseClient, ttl, timeout time.Duration) *leases {
	l := &leases{client: client, ttl: ttl, timeout: timeout}
	l.newest.Store(&lease{next: make(chan struct{})})
	return l
}

// at is the lease for a record that is sent at that time. Only when none is ready does it
// wait for one: what the next attempt brings, or ctx. Its error is certain, as nothing was
// sent.
func (l *leases) at(ctx context.Context, now time.Time) (id int64, err error) {
	newest := l.newest.Load()
	for !now.Before(newest.until) {
		select {
		case <-newest.next:
		case <-ctx.Done():
			return 0, &stores.Error{Outcome: stores.Failed, Code: stores.CodeDeadline, Err: errors.New("etcd: no lease was granted in time")}
		}
		now, newest = time.Now(), l.newest.Load()
		if newest.err != nil && !now.Before(newest.until) {
			code, _ := classify(newest.err)
			return 0, &stores.Error{Outcome: stores.Failed, Code: code, Err: fmt.Errorf("etcd: grant a lease: %w", newest.err)}
		}
	}
	return newest.id, nil
}

// run grants one lease after the other until ctx ends.
func (l *leases) run(ctx context.Context) {
	var took time.Duration
	for {
		begun := time.Now()
		next := l.grant(ctx, begun, took)
		took = time.Since(begun)
		close(l.newest.Swap(next).next)
		pause := leaseEvery - took
		if next.err != nil {
			pause = reconnectBase
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// grant asks for a lease. It lasts longer than the time to live: by the time in which it
// serves, and by what it takes to get this one and the next, if that is as long as last time.
func (l *leases) grant(ctx context.Context, begun time.Time, took time.Duration) *lease {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	seconds := int64(math.Ceil((l.ttl + leaseEvery + leaseSlack + 2*took).Seconds()))
	next := &lease{next: make(chan struct{})}
	answer, err := l.client.LeaseGrant(ctx, &pb.LeaseGrantRequest{TTL: seconds}, grpc.WaitForReady(true))
	if err != nil {
		last := l.newest.Load()
		next.id, next.until, next.err = last.id, last.until, err
		return next
	}
	// etcd counts from when it granted the lease, which was after the request.
	next.id, next.until = answer.ID, begun.Add(time.Duration(seconds)*time.Second-l.ttl)
	return next
}
