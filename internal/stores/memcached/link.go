package memcached

import (
	"bufio"
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// dialTimeout bounds an attempt to connect. A failed one is an operation's failure.
const dialTimeout = time.Second

// readBuffer holds an answer of YCSB's usual record of 1 kB at once.
const readBuffer = 4 << 10

// link is one session's connection to one member. It is made when it is first needed, and
// anew after anything went wrong with it: answers have no numbers, so one that comes too late
// would be taken for the next one's.
type link struct {
	address     string
	credentials *stores.Credentials // nil: members ask for none
	conn        net.Conn
	raw         syscall.RawConn // of the connection below
	in          *bufio.Reader
	peek        func(fd uintptr) bool // made once, since it escapes
	ended       bool                  // what peek found

	redial stores.Redial
}

func newLink(address string, credentials *stores.Credentials) *link {
	l := &link{address: address, credentials: credentials}
	l.peek = func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		// Between requests nothing may come: a byte, an end and an error are all reasons to
		// leave this connection.
		l.ended = !errors.Is(err, syscall.EAGAIN)
		return true
	}
	return l
}

// ready returns with a connection that was sound a moment ago. A member that ended has
// closed it, which shows before anything is sent: without this look each session would fail
// once after the member's return. Nothing was sent when it fails.
func (l *link) ready(deadline time.Time) error {
	if !time.Now().Before(deadline) {
		return context.DeadlineExceeded // which says nothing of the connection
	}
	if l.conn != nil {
		if err := l.conn.SetDeadline(deadline); err == nil && l.raw.Read(l.peek) == nil && !l.ended {
			return nil
		}
		l.drop()
	}
	if err := l.redial.Await(deadline); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	conn, plain, err := connect(ctx, l.address, l.credentials)
	if err == nil {
		err = l.take(conn, plain, deadline)
	}
	if err != nil {
		l.drop()
		l.redial.Failed()
		return err
	}
	l.redial.Succeeded()
	return nil
}

func (l *link) take(conn net.Conn, plain *net.TCPConn, deadline time.Time) (err error) {
	l.conn = conn
	if l.raw, err = plain.SyscallConn(); err != nil {
		return err
	}
	if l.in == nil {
		l.in = bufio.NewReaderSize(nil, readBuffer)
	}
	l.in.Reset(l.conn)
	return l.conn.SetDeadline(deadline)
}

// drop ends the connection, whose state is not known any more.
func (l *link) drop() {
	if l.conn != nil {
		stores.HangUp(l.conn)
		l.conn = nil
	}
}
