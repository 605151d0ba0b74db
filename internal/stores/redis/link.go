package redis

import (
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// links are how the sessions of a driver reach servers.
type links struct {
	credentials *stores.Credentials // nil: servers ask for none
	counts      conn.Counts
	pool        *conn.Pool // nil: each session has connections of its own
}

// newLinks lets sessions share so many connections to each server, with so many requests under way on
// each; without connections to share, each has its own.
func newLinks(credentials *stores.Credentials, connections, depth int) *links {
	l := &links{credentials: credentials}
	if connections > 0 {
		l.pool = conn.NewPool(l.dialer, &l.counts, connections, depth)
	}
	return l
}

func (l *links) dialer(address string) conn.Dialer { return dialerOf(address, l.credentials) }

// link is what a session sends its operations to one server over: one of the two.
type link struct {
	own    *conn.Own
	shared *conn.Shared
	turn   *conn.Turn
}

// to is a session's link to one of several servers.
func (l *links) to(address string) *link {
	if l.pool == nil {
		return &link{own: conn.NewOwn(l.dialer(address).Dial, &l.counts)}
	}
	return &link{shared: l.pool.To(address), turn: conn.NewTurn()}
}

// only is a session's link to the server that all operations go to, and nil if that isn't so any more.
func (l *links) only(address string, still func() bool) *link {
	if l.pool == nil {
		return l.to(address)
	}
	shared := l.pool.Only(address, still)
	if shared == nil {
		return nil
	}
	return &link{shared: shared, turn: conn.NewTurn()}
}

// places is how many operations can be on the connections to one server at once; 0 where none are shared.
func (l *links) places() int {
	if l.pool == nil {
		return 0
	}
	return l.pool.Places()
}

// await waits until over is closed, or it can be tried to connect again; without a link there is nobody
// to try. It says no if the deadline came first. Where connections are shared, it is a wait for a place.
func (l *links) await(op *stores.Op, over <-chan struct{}, to *link) bool {
	asked := time.Now()
	late := time.NewTimer(op.Deadline.Sub(asked))
	defer late.Stop()
	var again <-chan time.Time
	if to != nil {
		again = time.After(to.wait())
	}
	select {
	case <-over:
	case <-again:
	case <-late.C:
		return false
	}
	if l.pool != nil {
		waited := time.Since(asked)
		op.Waited += waited
		op.Deadline = op.Deadline.Add(waited)
	}
	return true
}

func (l *links) close() {
	if l.pool != nil {
		l.pool.Close()
	}
}

// wait is how long it is until it can be tried to connect again; 0 if at once.
func (l *link) wait() time.Duration {
	if l.own == nil {
		return 0
	}
	return max(0, time.Until(l.own.Due()))
}

// run sends the commands at once, and returns when their answers are there. Its error is of the
// network: an answer that is an error is one of the answers. sent says whether they can have arrived.
// over ends the waiting for a place on a connection, with conn.ErrOver.
func (l *link) run(commands *pipeline, op *stores.Op, over <-chan struct{}) (sent bool, err error) {
	if l.own != nil {
		how, err := l.own.Do(commands, op.Deadline)
		return how != conn.Nothing, err
	}
	span := conn.Span{Deadline: op.Deadline, Over: over}
	how, err := l.shared.Do(commands, l.turn, &span)
	op.Waited += span.Waited
	op.Deadline = span.Deadline
	return how != conn.Nothing, err
}

func (l *link) drop() {
	if l.own != nil {
		l.own.Drop()
	}
}
