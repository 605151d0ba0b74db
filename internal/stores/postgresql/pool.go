package postgresql

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

// A connection is a process of the server, and costs milliseconds to make. So sessions, of
// which an open loop may have thousands, pass them on when others wait, and only a few are made
// at a time: one, as long as nobody answers, so that a server that comes back isn't busy with
// refusing.
const (
	mostDialing   = 4
	reconnectBase = 20 * time.Millisecond
	reconnectMax  = 100 * time.Millisecond
)

// pool has the connections to the primary.
type pool struct {
	config *pgconn.Config
	counts conn.Counts
	bound  bound
	// hungry is how many sessions wait: one whose statement has ended looks at it, and keeps
	// its connection as long as it is 0, without a lock.
	hungry atomic.Int32

	mu      sync.Mutex
	free    []*link
	waiting []chan taken
	wanted  int // connections to make ahead of need, until an attempt fails
	users   int // sessions
	dialing int
	open    int // free, or a session's
	lent    map[*link]struct{}
	failure error         // of the last attempt, as long as no connection is open
	pause   time.Duration // after the last failed attempt; 0 after a success
	next    time.Time     // no attempt before
	ctx     context.Context
	end     context.CancelFunc
	dials   sync.WaitGroup
}

// taken is what a waiting session gets.
type taken struct {
	link *link
	err  error
}

var errWaited = errors.New("no connection was free before the deadline")

// newPool has so many connections at most, or, with 0, one for each session that uses it.
func newPool(config *pgconn.Config, most int) *pool {
	p := &pool{config: config, bound: bound{most: most, enough: make(chan struct{})}, lent: map[*link]struct{}{}}
	p.ctx, p.end = context.WithCancel(context.Background())
	if most > 0 {
		p.wanted = most
		p.dialMore()
		p.dials.Go(p.watch)
	}
	return p
}

// join lets one more session use the pool, and makes it a connection in the background.
func (p *pool) join() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
	if p.bound.most > 0 {
		return // they are made already
	}
	if p.users > p.open+p.wanted {
		p.wanted++
	}
	p.dialMore()
}

// leave ends that.
func (p *pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users--
}

// take waits for a sound connection until the deadline, or, where sessions share them, as long as there
// are some. It fails at once when none is there and an attempt to make one has failed. Nothing was sent
// then.
func (p *pool) take(deadline time.Time) (l *link, waited time.Duration, err error) {
	p.mu.Lock()
	for n := len(p.free); n > 0; n = len(p.free) {
		l := p.free[n-1]
		p.free = p.free[:n-1]
		if l.ready(deadline) {
			p.lend(l)
			p.mu.Unlock()
			return l, 0, nil
		}
		p.open--
		l.close()
	}
	if p.bound.most > 0 && p.open == 0 && p.failure != nil {
		defer p.mu.Unlock()
		p.dialMore()
		return nil, 0, p.failure
	}
	if err := p.ctx.Err(); err != nil {
		p.mu.Unlock()
		return nil, 0, err
	}
	mine := make(chan taken, 1)
	p.waiting = append(p.waiting, mine)
	p.hungry.Add(1)
	p.dialMore()
	p.mu.Unlock()

	asked := time.Now()
	if p.bound.most > 0 {
		got := <-mine
		return got.link, time.Since(asked), got.err
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case got := <-mine:
		return got.link, time.Since(asked), got.err
	case <-timer.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, mine); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.hungry.Add(-1)
		return nil, time.Since(asked), errors.Join(errWaited, context.DeadlineExceeded)
	}
	got := <-mine // it came at the last moment
	return got.link, time.Since(asked), got.err
}

// lend notes that a session has the connection; p.mu is held.
func (p *pool) lend(l *link) { p.lent[l] = struct{}{} }

// give hands a sound connection to who waits the longest, or keeps it.
func (p *pool) give(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hand(l)
}

// hand does so; p.mu is held.
func (p *pool) hand(l *link) {
	delete(p.lent, l)
	l.begun.Store(nil)
	switch {
	case p.ctx.Err() != nil, p.bound.exceeded(p.open):
		p.open--
		l.close()
		p.bound.look(p.open)
	case len(p.waiting) > 0:
		p.lend(l)
		p.waiting[0] <- taken{link: l}
		p.waiting = slices.Delete(p.waiting, 0, 1)
		p.hungry.Add(-1)
	default:
		p.free = append(p.free, l)
	}
}

// drop ends a connection whose state is not known any more.
func (p *pool) drop(l *link) {
	l.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.lent, l)
	p.open--
	if p.bound.most > 0 {
		p.wanted = max(1, p.wanted)
	}
	p.dialMore()
}

// dialMore begins as many attempts as there is need for; p.mu is held.
func (p *pool) dialMore() {
	most := mostDialing
	switch {
	case p.bound.most > 0:
		most = p.bound.most // each has its time
	case p.pause > 0:
		most = 1
	}
	for p.ctx.Err() == nil && p.dialing < min(most, max(len(p.waiting), p.wanted)) && p.bound.allows(p.open, p.dialing) {
		p.dialing++
		wait := time.Until(p.next)
		if p.bound.most > 0 {
			wait = max(wait, p.bound.turn())
		}
		p.dials.Go(func() { p.dial(wait) })
	}
}

func (p *pool) dial(wait time.Duration) {
	select {
	case <-time.After(wait):
	case <-p.ctx.Done():
	}
	begun := time.Now()
	l, err := dial(p.ctx, p.config)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialing--
	if err == nil {
		p.counts.Made(begun)
		p.pause, p.next, p.failure = 0, time.Time{}, nil
		p.open++
		p.bound.look(p.open)
		if p.wanted > 0 {
			p.wanted--
		}
		p.hand(l)
	} else {
		if p.bound.most > 0 {
			p.wanted = 1 // operations fail at once until it succeeds
		} else {
			p.pause = min(max(reconnectBase, 2*p.pause), reconnectMax)
			p.next = time.Now().Add(p.pause)
			p.wanted = 0
		}
		if p.open == 0 || p.ctx.Err() != nil {
			p.failure = err
			p.fail(err)
		}
	}
	p.dialMore()
}

// fail ends the waiting of all. Where others have a connection, it is theirs that is waited for.
func (p *pool) fail(err error) {
	for _, mine := range p.waiting {
		mine <- taken{err: err}
	}
	p.hungry.Add(-int32(len(p.waiting)))
	p.waiting = nil
}

// close ends all connections but those that sessions still have.
func (p *pool) close() {
	p.end()
	p.mu.Lock()
	p.fail(context.Canceled)
	p.mu.Unlock()
	p.dials.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.free {
		l.close()
	}
	p.open -= len(p.free)
	p.free = nil
}
