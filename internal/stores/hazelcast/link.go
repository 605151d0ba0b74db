package hazelcast

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// dialTimeout bounds an attempt to connect. A failed one is an operation's failure.
const dialTimeout = time.Second

// readBuffer holds an answer of YCSB's usual record of 1 kB at once.
const readBuffer = 4 << 10

// starter is what a connection begins with: the second version of the protocol.
const starter = "CP2"

// link is a connection to one member. It is made when it is first needed, and anew after
// anything went wrong with it.
type link struct {
	address string
	cluster string
	conn    *net.TCPConn
	peek    *conn.Peek // of conn
	in      reader
	last    int64         // correlation of the last request
	said    authenticated // by the member, when the connection was made

	conn.Redial
}

func newLink(address, cluster string) *link {
	return &link{address: address, cluster: cluster}
}

// ready returns with a connection that was sound a moment ago, before the deadline; made says that
// it is new. A member that ended has closed the old one, which shows before anything is sent. Nothing
// but the introduction was sent when it fails.
func (l *link) ready(deadline time.Time) (made bool, err error) {
	return l.readyUntil(deadline, deadline)
}

// readyUntil is ready, with an earlier end of the attempt to connect.
func (l *link) readyUntil(until, deadline time.Time) (made bool, err error) {
	if !time.Now().Before(deadline) {
		return false, context.DeadlineExceeded // which says nothing of the connection
	}
	if l.conn != nil {
		if err := l.conn.SetDeadline(deadline); err == nil && l.peek.Quiet() {
			return false, nil
		}
		l.drop()
	}
	if err := l.Await(until); err != nil {
		return false, &stores.ConnectError{Err: fmt.Errorf("connect to %s: %w", l.address, err)}
	}
	if err = l.connect(until); err == nil {
		err = l.conn.SetDeadline(deadline)
	}
	if err != nil {
		l.drop()
		l.Failed()
		return false, &stores.ConnectError{Err: fmt.Errorf("connect to %s: %w", l.address, err)}
	}
	l.Succeeded()
	return true, nil
}

func (l *link) connect(deadline time.Time) error {
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	dialer := net.Dialer{Timeout: dialTimeout}
	made, err := dialer.DialContext(ctx, "tcp", l.address)
	if err != nil {
		return err
	}
	l.conn = made.(*net.TCPConn) // of the network "tcp" it is one
	if l.peek, err = conn.NewPeek(made); err != nil {
		return err
	}
	if l.in.in == nil {
		l.in.in = bufio.NewReaderSize(nil, readBuffer)
	}
	l.in.in.Reset(l.conn)
	if err := l.conn.SetDeadline(deadline); err != nil {
		return err
	}
	return l.introduce()
}

// introduce makes a client of the connection.
func (l *link) introduce() error {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	client := uuid{high: binary.LittleEndian.Uint64(random[:8]), low: binary.LittleEndian.Uint64(random[8:])}
	request := builder{out: []byte(starter)}
	appendAuthentication(&request, l.number(), client, l.cluster)
	answer, err := l.exchange(request.out)
	if err != nil {
		return err
	}
	l.said, err = decodeAuthentication(answer)
	return err
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
	return l.answer(l.last)
}

// send sends the request, over the connection that was there a moment ago: what was done for others in
// between may have found that it ended.
func (l *link) send(request []byte) error {
	if l.conn == nil {
		return &conn.UnsentError{Err: net.ErrClosed}
	}
	if _, err := l.conn.Write(request); err != nil {
		return &conn.UnsentError{Err: err}
	}
	return nil
}

// answer reads until the answer to the request of that number comes. Events are left out.
func (l *link) answer(number int64) (*message, error) {
	for {
		m, err := l.in.next()
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

// drop ends the connection, whose state is not known any more.
func (l *link) drop() {
	if l.conn != nil {
		l.conn.Close() // there is nobody to tell of an error
		l.conn = nil
	}
}
