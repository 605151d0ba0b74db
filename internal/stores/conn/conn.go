package conn

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/kvbench/kvbench/internal/stores"
)

// readBuffer holds an answer of YCSB's usual record of 1 kB at once.
const readBuffer = 8 << 10

// Conn is a connection over which requests can be sent, and what of it was read ahead.
type Conn struct {
	net.Conn
	In *bufio.Reader

	raw   syscall.RawConn       // of the socket
	peek  func(fd uintptr) bool // made once, since it escapes
	ended bool                  // what peek found
}

// New takes a connection between two requests: all that the other side has sent is read.
func New(conn net.Conn) (*Conn, error) {
	below := conn
	if encrypted, ok := conn.(*tls.Conn); ok {
		below = encrypted.NetConn()
	}
	socket, ok := below.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection of type %T has no socket", below)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	c := &Conn{Conn: conn, In: bufio.NewReaderSize(conn, readBuffer), raw: raw}
	c.peek = func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		// Between requests nothing may come: a byte, an end and an error are all reasons to
		// leave this connection.
		c.ended = !errors.Is(err, syscall.EAGAIN)
		return true
	}
	return c, nil
}

// Encrypt encrypts a connection where the credentials are for that; the member's certificate has to be of
// the name in its address.
func Encrypt(ctx context.Context, conn net.Conn, address string, credentials *stores.Credentials) (net.Conn, error) {
	if credentials == nil || credentials.TLS == nil {
		return conn, nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	config := credentials.TLS.Clone()
	config.ServerName = host
	encrypted := tls.Client(conn, config)
	return encrypted, encrypted.HandshakeContext(ctx)
}

// Sound looks, between requests, whether the connection can be used. A member that ended has closed it,
// which shows before anything is sent: without this look each connection would fail an operation after
// the member's return.
func (c *Conn) Sound() bool {
	return c.In.Buffered() == 0 && c.raw.Read(c.peek) == nil && !c.ended
}

// HangUp ends the connection at once.
func (c *Conn) HangUp() { stores.HangUp(c.Conn) }
