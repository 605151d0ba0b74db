package etcd

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/kvbench/kvbench/internal/stores"
)

// lessor grants leases as a script says, which has the number of the attempt, from 1 on.
type lessor struct {
	pb.LeaseClient
	script func(ctx context.Context, n int) error

	mu      sync.Mutex
	expires []time.Time // by the leases' number, from 1 on; the zero time if it wasn't granted
}

func (l *lessor) attempts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.expires)
}

func (l *lessor) expiry(id int64) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.expires[id-1]
}

func (l *lessor) note(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expires = append(l.expires, at)
}

func (l *lessor) LeaseGrant(ctx context.Context, in *pb.LeaseGrantRequest, _ ...grpc.CallOption) (*pb.LeaseGrantResponse, error) {
	n := l.attempts() + 1
	if err := l.script(ctx, n); err != nil {
		l.note(time.Time{})
		return nil, err
	}
	l.note(time.Now().Add(time.Duration(in.TTL) * time.Second))
	return &pb.LeaseGrantResponse{ID: int64(n), TTL: in.TTL}, nil
}

// withLeases runs leases of a time to live of 1.5 s in virtual time.
func withLeases(t *testing.T, script func(ctx context.Context, n int) error, do func(*testing.T, *leases, *lessor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := &lessor{script: script}
		l := newLeases(server, 1500*time.Millisecond, 5*time.Second)
		defer inBackground(l.run)()
		do(t, l, server)
	})
}

// use asks for a lease with a deadline of 4 s, and tells how long that took.
func (l *leases) use(t *testing.T) (id int64, took time.Duration, err error) {
	t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), begun.Add(4*time.Second))
	defer cancel()
	id, err = l.at(ctx, begun)
	return id, time.Since(begun), err
}

func TestWhatIsWrittenStaysItsTimeAndAFewSecondsAtMost(t *testing.T) {
	slow := func(n int) time.Duration { // most grants take 1 ms, some long
		switch n {
		case 5:
			return 900 * time.Millisecond
		case 10, 11, 12: // the first of them is of no use when it comes
			return 2500 * time.Millisecond
		}
		return time.Millisecond
	}
	withLeases(t, func(_ context.Context, n int) error { time.Sleep(slow(n)); return nil }, func(t *testing.T, l *leases, server *lessor) {
		waited := 0
		for begin := time.Now(); time.Since(begin) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
			sent := time.Now()
			id, took, err := l.use(t)
			if err != nil {
				t.Fatalf("after %v: %v", time.Since(begin), err)
			}
			if took > 0 {
				waited++
			}
			sent = sent.Add(took)
			if stays := server.expiry(id).Sub(sent); stays < 1500*time.Millisecond || stays > 10*time.Second {
				t.Fatalf("what is sent after %v stays %v", sent.Sub(begin), stays)
			}
		}
		// The first operation, and one while the tenth lease and the next were late.
		if waited != 2 {
			t.Errorf("%d operations waited for a lease", waited)
		}
		if n := server.attempts(); n < 15 || n > 21 {
			t.Errorf("%d leases in 20 s", n)
		}
	})
}

func TestWithoutALeaseNothingIsWrittenForCertain(t *testing.T) {
	for name, c := range map[string]struct {
		script func(ctx context.Context, n int) error
		took   time.Duration
		code   string
	}{
		"the store refuses": {func(context.Context, int) error {
			return status.Error(codes.PermissionDenied, "etcdserver: permission denied")
		},
			reconnectBase, "PermissionDenied"},
		"the store doesn't answer": {func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() },
			4 * time.Second, "DeadlineExceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			withLeases(t, c.script, func(t *testing.T, l *leases, _ *lessor) {
				synctest.Wait() // the first attempt is over, or waits
				_, took, err := l.use(t)
				var known *stores.Error
				if !errors.As(err, &known) || known.Outcome != stores.Failed || known.Code != c.code {
					t.Errorf("%v, want %s for certain", err, c.code)
				}
				// No faster than attempts are made: threads don't spin.
				if took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
			})
		})
	}
}

func TestALeaseServesThroughAShortOutageAndComesBackAfterALongOne(t *testing.T) {
	var down time.Duration
	var begin time.Time
	script := func(context.Context, int) error {
		if since := time.Since(begin); since > 5*time.Second && since < 5*time.Second+down {
			return status.Error(codes.Unavailable, "no connection")
		}
		return nil
	}
	for _, c := range []struct {
		down time.Duration
		fail bool
	}{{500 * time.Millisecond, false}, {4 * time.Second, true}} {
		withLeases(t, func(ctx context.Context, n int) error {
			if n == 1 {
				begin, down = time.Now(), c.down
			}
			return script(ctx, n)
		}, func(t *testing.T, l *leases, _ *lessor) {
			failed, last := 0, error(nil)
			for range 1500 {
				if _, _, last = l.use(t); last != nil {
					failed++
				}
				time.Sleep(10 * time.Millisecond)
			}
			if (failed > 0) != c.fail || last != nil {
				t.Errorf("down for %v: %d failed, the last one with %v", c.down, failed, last)
			}
		})
	}
}

func TestAReadyLeaseCostsNothing(t *testing.T) {
	withLeases(t, func(context.Context, int) error { return nil }, func(t *testing.T, l *leases, _ *lessor) {
		synctest.Wait()
		ctx, now := t.Context(), time.Now()
		if allocated := testing.AllocsPerRun(100, func() {
			if _, err := l.at(ctx, now); err != nil {
				t.Fatal(err)
			}
		}); allocated != 0 {
			t.Errorf("allocates %v times", allocated)
		}
	})
}
