package hazelcast

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

// dialTimeout bounds an attempt to connect. A failed one is an operation's failure.
const dialTimeout = time.Second

// starter is what a connection begins with: the second version of the protocol.
const starter = "CP2"

// introduction is the number of the first request of a connection.
const introduction = 1

// link is a connection to one member. It is made when it is first needed, and anew after
// anything went wrong with it.
type link struct {
	*conn.Own
	address string
	cluster string
	in      reader
	last    int64         // correlation of the last request
	said    authenticated // by the member, when the connection was made
}

func newLink(address, cluster string) *link {
	l := &link{address: address, cluster: cluster}
	l.Own = conn.NewOwn(conn.Dialer{Reach: conn.Reach(address), Greet: l.greet}.Dial, &conn.Counts{})
	return l
}

func (l *link) greet(_ context.Context, reached net.Conn) (*conn.Conn, error) {
	made, err := conn.New(reached)
	if err != nil {
		return nil, err
	}
	said, err := introduce(made, l.cluster)
	if err != nil {
		return nil, err
	}
	l.in.in, l.last, l.said = made.In, introduction, said
	return made, nil
}

// introduce makes a client of the connection.
func introduce(made *conn.Conn, cluster string) (authenticated, error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return authenticated{}, err
	}
	client := uuid{high: binary.LittleEndian.Uint64(random[:8]), low: binary.LittleEndian.Uint64(random[8:])}
	request := builder{out: []byte(starter)}
	appendAuthentication(&request, introduction, client, cluster)
	if _, err := made.Write(request.out); err != nil {
		return authenticated{}, err
	}
	in := reader{in: made.In}
	answer, err := in.answer(introduction)
	if err != nil {
		return authenticated{}, err
	}
	return decodeAuthentication(answer)
}

// ready returns with a connection that was sound a moment ago, before the deadline; made says that
// it is new. Nothing but the introduction was sent when it fails.
func (l *link) ready(deadline time.Time) (made bool, err error) {
	return l.readyUntil(deadline, deadline)
}

// readyUntil is ready, with an earlier end of the attempt to connect.
func (l *link) readyUntil(until, deadline time.Time) (made bool, err error) {
	if made, err = l.ReadyUntil(until, deadline); err != nil {
		err = fmt.Errorf("connect to %s: %w", l.address, err)
	}
	return made, err
}

func (l *link) whose() uuid { return l.said.member }

// number is the next request's.
func (l *link) number() int64 {
	l.last++
	return l.last
}

// exchange sends the request that took the last number, and returns its answer.
func (l *link) exchange(request []byte) (*message, error) {
	if err := l.send(request); err != nil {
		return nil, err
	}
	return l.in.answer(l.last)
}

// send sends the request, over the connection that was there a moment ago: what was done for others in
// between may have found that it ended.
func (l *link) send(request []byte) error {
	if l.Conn() == nil {
		return &conn.UnsentError{Err: net.ErrClosed}
	}
	if _, err := l.Conn().Write(request); err != nil {
		return &conn.UnsentError{Err: err}
	}
	return nil
}

// drop ends the connection, whose state is not known any more.
func (l *link) drop() { l.Drop() }

// answer reads until the answer to the request of that number comes. Events are left out.
func (r *reader) answer(number int64) (*message, error) {
	for {
		m, err := r.next()
		switch {
		case err != nil:
			return nil, err
		case m.isEvent():
		case m.correlation() != number:
			return nil, fmt.Errorf("%w: an answer to request %d after request %d", errProtocol, m.correlation(), number)
		case m.kind() == kindError:
			return nil, decodeError(m)
		default:
			return m, nil
		}
	}
}
