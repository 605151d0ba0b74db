package hazelcast

import (
	"bufio"
	"context"
	"net"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
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
	// whose is the member's name.
	whose() uuid
}

// wire is a connection that sessions share.
type wire struct {
	*conn.Numbered
	said authenticated
}

// openerOf makes wires to a member; learn is told what it says of itself.
func openerOf(address, cluster string, learn func(authenticated)) conn.Opener {
	return conn.Opener{
		Reach: conn.Reach(address),
		Greet: func(_ context.Context, reached net.Conn) (conn.Link, error) {
			made, err := conn.New(reached)
			if err != nil {
				return nil, err
			}
			said, err := introduce(made, cluster)
			if err != nil {
				return nil, err
			}
			learn(said)
			return &wire{conn.NewNumbered(made, &reader{}, introduction), said}, nil
		},
	}
}

// Read reads an answer.
func (r *reader) Read(in *bufio.Reader) (request int64, err error) {
	r.in = in
	m, err := r.next()
	if err != nil || m.isEvent() {
		return 0, err
	}
	return m.correlation(), nil
}

// seat is a session's place on a wire, while it has one.
type seat struct {
	conn.Seat
	wire *wire
}

func newSeat() seat { return seat{Seat: conn.NewSeat(&reader{})} }

// take waits for a place. Nothing was sent when it fails.
func (s *seat) take(from *conn.Places, op *stores.Op) error {
	taken, err := s.Take(from, op)
	if err == nil {
		s.wire = taken.(*wire)
	}
	return err
}

func (s *seat) number() int64 { return s.Number() }

func (s *seat) whose() uuid { return s.wire.said.member }

func (s *seat) drop() { s.Spoil(errProtocol) }

func (s *seat) exchange(request []byte) (*message, error) {
	answer, sent, err := s.Do(request)
	switch {
	case err != nil && sent != conn.All:
		return nil, &conn.UnsentError{Err: err}
	case err != nil:
		return nil, err
	}
	m := &answer.(*reader).msg
	if m.kind() == kindError {
		return nil, decodeError(m)
	}
	return m, nil
}
