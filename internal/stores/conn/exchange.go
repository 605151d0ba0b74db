package conn

import (
	"bufio"
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Exchange is one request, and how its answer is read.
type Exchange interface {
	// Request is what is sent.
	Request() []byte
	// Answer reads the whole answer. After an error the connection's state isn't known.
	Answer(in *bufio.Reader) error
}

// Sent is how much of a request can have arrived.
type Sent uint8

// The amounts.
const (
	Nothing Sent = iota
	Part         // so that it is no request, if it is a single one
	All
)

// UnsentError is the error Err of a request that was not sent, or was cut short. No member takes it for a request.
type UnsentError struct{ Err error }

func (e *UnsentError) Error() string { return e.Err.Error() }
func (e *UnsentError) Unwrap() error { return e.Err }

// Depth is how many unanswered requests there may be on a connection that operations share.
const Depth = 32

// Dialer makes a connection over which requests can be sent.
type Dialer struct {
	// Reach reaches the member, before ctx ends.
	Reach func(ctx context.Context) (net.Conn, error)
	// Greet encrypts the connection and says who the client is, where that is needed, and returns when
	// the member has answered. Conn's Close is its caller's.
	Greet func(ctx context.Context, conn net.Conn) (*Conn, error)
}

// Dial does both.
func (d Dialer) Dial(ctx context.Context) (*Conn, error) {
	reached, err := d.Reach(ctx)
	if err != nil {
		return nil, err
	}
	return inTime(ctx, reached, d.Greet)
}

// Reach is the Reach of a Dialer of an address host:port.
func Reach(address string) func(ctx context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		dialer := net.Dialer{Timeout: DialTimeout}
		return dialer.DialContext(ctx, "tcp", address)
	}
}

// DialTimeout bounds an attempt to connect.
const DialTimeout = time.Second

// Counts are of all connections of a driver. They are safe for concurrent use.
type Counts struct {
	opened, connecting, lost atomic.Int64
}

// Now is what was counted until now.
func (c *Counts) Now() stores.ConnectionCount {
	return stores.ConnectionCount{Opened: c.opened.Load(), Connect: time.Duration(c.connecting.Load()), Lost: c.lost.Load()}
}

// meanConnect is how long it took to make a connection; 0 before there is one.
func (c *Counts) meanConnect() time.Duration {
	if opened := c.opened.Load(); opened > 0 {
		return time.Duration(c.connecting.Load() / opened)
	}
	return 0
}

// Made counts a connection that was made since then.
func (c *Counts) Made(begun time.Time) {
	c.opened.Add(1)
	c.connecting.Add(int64(time.Since(begun)))
}
