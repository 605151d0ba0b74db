package conn

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"

	"github.com/kvbench/kvbench/internal/stores"
)

// readBuffer holds an answer of YCSB's usual record of 1 kB at once.
const readBuffer = 8 << 10

// Conn is a connection over which requests can be sent, and what of it was read ahead.
type Conn struct {
	net.Conn
	In *bufio.Reader

	peek *Peek
}

// New takes a connection between two requests: all that the other side has sent is read.
func New(conn net.Conn) (*Conn, error) {
	peek, err := NewPeek(conn)
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: conn, In: bufio.NewReaderSize(conn, readBuffer), peek: peek}, nil
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
	return c.In.Buffered() == 0 && c.peek.Quiet()
}

// HangUp ends the connection at once.
func (c *Conn) HangUp() { stores.HangUp(c.Conn) }
