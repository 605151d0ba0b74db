package ignite

import (
	"bufio"
	"cmp"
	"context"
	"net"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// dialTimeout bounds an attempt to connect. A failed one is an operation's failure.
const dialTimeout = time.Second

// readBuffer holds an answer of YCSB's usual record of 1 kB at once.
const readBuffer = 4 << 10

// connection is to a member that has taken it for a client's.
type connection struct {
	conn   net.Conn
	peek   *conn.Peek // of conn
	in     reader
	member uuid // who it is
}

// dial connects to the member of the address, for as long as the context lets it.
func dial(ctx context.Context, address string, who *stores.Credentials) (c *connection, err error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	reached, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			stores.HangUp(reached)
		}
	}()
	// What else a handshake leaves in the socket is read with the answer to the introduction.
	made, err := conn.Encrypt(ctx, reached, address, who)
	if err != nil {
		return nil, err
	}
	c = &connection{conn: made, in: reader{in: bufio.NewReaderSize(made, readBuffer)}}
	if c.peek, err = conn.NewPeek(made); err != nil {
		return nil, err
	}
	// What ends the context ends the wait for the member's answer.
	stop := context.AfterFunc(ctx, func() { _ = made.SetDeadline(time.Unix(1, 0)) })
	err = c.introduce(who)
	if !stop() {
		err = cmp.Or(ctx.Err(), err)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// introduce makes a client of the connection.
func (c *connection) introduce(who *stores.Credentials) error {
	var request builder
	appendIntroduction(&request, who)
	if _, err := c.conn.Write(request.out); err != nil {
		return err
	}
	answer, err := c.in.next()
	if err != nil {
		return err
	}
	c.member, err = decodeIntroduction(answer)
	return err
}
