package ignite

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// dialTimeout bounds an attempt to connect. A failed one is an operation's failure.
const dialTimeout = time.Second

// readBuffer holds an answer of YCSB's usual record of 1 kB at once.
const readBuffer = 4 << 10

// connection is to a member that has taken it for a client's.
type connection struct {
	conn   net.Conn
	raw    syscall.RawConn // of the connection below
	in     reader
	member uuid // who it is
}

// dial connects to the member of the address, for as long as the context lets it.
func dial(ctx context.Context, address string, who *stores.Credentials) (c *connection, err error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			stores.HangUp(conn)
		}
	}()
	c = &connection{}
	if c.raw, err = conn.(*net.TCPConn).SyscallConn(); err != nil { // of the network "tcp" it is one
		return nil, err
	}
	if who != nil && who.TLS != nil {
		if conn, err = encrypt(ctx, conn, address, who.TLS); err != nil {
			return nil, err
		}
	}
	c.conn, c.in.in = conn, bufio.NewReaderSize(conn, readBuffer)
	// What ends the context ends the wait for the member's answer.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = c.introduce(who)
	if !stop() {
		err = cmp.Or(ctx.Err(), err)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// encrypt does so where the members ask for it. What else a handshake leaves in the socket is read
// with the answer to the introduction.
func encrypt(ctx context.Context, conn net.Conn, address string, with *tls.Config) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return conn, err
	}
	config := with.Clone()
	config.ServerName = host
	encrypted := tls.Client(conn, config)
	return encrypted, encrypted.HandshakeContext(ctx)
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
