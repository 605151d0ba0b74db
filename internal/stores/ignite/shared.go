package ignite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
	"github.com/kvbench/kvbench/internal/stores/partition"
)

// asker makes requests to one member, over a connection that a session has for itself, or on which the
// operation has its place.
type asker interface {
	// number is the next request's.
	number() int64
	// exchange sends the request that took the last number, and returns its answer.
	exchange(request []byte) (*message, error)
	// drop notes that the connection's state isn't known any more.
	drop()
}

// share makes the connections to each member that sessions share.
func (d *driver) share(connections int) {
	for member, address := range d.affinity.addresses {
		d.Share("ignite", []conn.Opener{d.openerOf(member, address)}, connections)
	}
}

// openerOf connects to a member. One that looks at a password hashes it, which takes it tens of
// milliseconds of a core: so only a few attempts show it at a time, and have the time for that.
func (d *driver) openerOf(member int, address string) conn.Opener {
	opener := conn.Opener{Reach: conn.Reach(address), Greet: func(ctx context.Context, reached net.Conn) (conn.Link, error) {
		return d.greet(ctx, reached, member, address)
	}}
	if showsPassword(d.affinity.who) {
		opener.Within, opener.AtOnce = loginTimeout, loginsAtOnce
	}
	return opener
}

func (d *driver) greet(ctx context.Context, reached net.Conn, member int, address string) (conn.Link, error) {
	who := d.affinity.who
	if showsPassword(who) {
		if err := d.turns[member].take(ctx); err != nil {
			return nil, err
		}
		defer d.turns[member].pass()
	}
	made, err := greet(ctx, reached, address, who)
	if err != nil {
		return nil, err
	}
	d.affinity.learn(member, made.member)
	return conn.NewNumbered(made.Conn, d.newAnswer(), 0), nil
}

// answer is memory for one.
type answer struct {
	reader
	msg   message
	moved func(version)
}

func (d *driver) newAnswer() *answer { return &answer{moved: d.affinity.moved} }

// Read reads an answer, and tells of another topology.
func (a *answer) Read(in *bufio.Reader) (request int64, err error) {
	a.in = in
	data, err := a.next()
	if err != nil {
		return 0, err
	}
	if a.msg, err = decodeMessage(data); err != nil {
		return 0, err
	}
	if a.msg.moved {
		a.moved(a.msg.topology)
	}
	if a.msg.event {
		return 0, nil
	}
	return a.msg.number, nil
}

// seat is a session's place on a connection that sessions share, while it has one.
type seat struct{ conn.Seat }

func (s *seat) number() int64 { return s.Number() }

func (s *seat) drop() { s.Spoil(errProtocol) }

func (s *seat) exchange(request []byte) (*message, error) {
	got, sent, err := s.Do(request)
	switch {
	case err != nil && sent != conn.All:
		return nil, &conn.UnsentError{Err: err}
	case err != nil:
		return nil, err
	}
	m := &got.(*answer).msg
	if m.status != 0 {
		return nil, decodeError(m)
	}
	return m, nil
}

// sit waits for a place on a connection to the member that owns the key of that hash, or to any that can
// be reached while the owner isn't known. Nothing was sent when it fails.
func (s *session) sit(op *stores.Op, hash int32) error {
	if owner := s.table.owner(hash); owner != partition.Unknown {
		_, err := s.seat.Take(s.places[owner], op)
		return err
	}
	var failures []error
	for i := range s.places {
		if _, err := s.seat.Take(s.places[(int(uint32(hash))+i)%len(s.places)], op); err != nil {
			failures = append(failures, err)
			continue
		}
		return nil
	}
	return errors.Join(failures...)
}

// Connect makes the session's own connections.
func (s *session) Connect(ctx context.Context) error {
	if s.places != nil {
		return nil
	}
	for member := range s.links {
		if err := s.ready(member, stores.DeadlineOf(ctx, loginTimeout)); err != nil {
			return fmt.Errorf("ignite: %w", err)
		}
	}
	return nil
}
