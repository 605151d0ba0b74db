package cassandra

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/stores"
)

// hosts connects to members, and encrypts where there is a configuration for it. It gives the handshake
// so much time: gocql would wait for it for ever.
type hosts struct {
	tls    *tls.Config
	within time.Duration
}

// DialHost connects to one.
func (h hosts) DialHost(ctx context.Context, host *gocql.HostInfo) (*gocql.DialedHost, error) {
	address := host.ConnectAddressAndPort()
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.within)
	defer cancel()
	return gocql.WrapTLS(ctx, conn, address, h.tls)
}

// dialer makes connections that end when the other side is silent.
var dialer = &net.Dialer{
	Timeout: connectTimeout,
	ControlContext: func(_ context.Context, _, _ string, raw syscall.RawConn) error {
		var err error
		return errors.Join(raw.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
		}), err)
	},
}

// end closes a client, and waits for it for a while alone: gocql's Close may wait for ever for its
// control connection, if that is being made anew. Its connections are closed by then.
func end(client *gocql.Session) {
	done := make(chan struct{})
	go func() {
		client.Close()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(connectTimeout):
	}
}

// attempts keeps what came of the attempts to connect: of the last one, which gocql tells as a text alone,
// and how many succeeded.
type attempts struct {
	mu     sync.Mutex
	last   error
	opened int64
	took   time.Duration // all that succeeded
	enough chan struct{} // closed when so many were made; nil where nobody waits
	most   int64

	lost atomic.Int64 // operations
}

// ObserveConnect is told of each connection, when it could be used and when not.
func (a *attempts) ObserveConnect(one gocql.ObservedConnect) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last = one.Err; one.Err != nil {
		return
	}
	a.opened++
	a.took += one.End.Sub(one.Start)
	if a.opened == a.most {
		close(a.enough)
	}
}

// err is nil when the last one succeeded.
func (a *attempts) err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// count is what was made and lost until now.
func (a *attempts) count() stores.ConnectionCount {
	a.mu.Lock()
	defer a.mu.Unlock()
	return stores.ConnectionCount{Opened: a.opened, Connect: a.took, Lost: a.lost.Load()}
}
