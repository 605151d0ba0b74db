package cassandra

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"golang.org/x/sys/unix"
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

// attempts keeps what the last attempt to connect came to, which gocql tells as a text alone.
type attempts struct {
	mu   sync.Mutex
	last error
}

// ObserveConnect is told of each connection, when it could be used and when not.
func (a *attempts) ObserveConnect(one gocql.ObservedConnect) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = one.Err
}

// err is nil when the last one succeeded.
func (a *attempts) err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}
