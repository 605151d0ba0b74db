// Package listenlimit bounds the connections of a server, all together and of one address.
package listenlimit

import (
	"net"
	"sync"
)

// New accepts at most n connections of l at once. The others wait in the kernel's queue. Of one address it accepts at
// most perSource connections, and closes those beyond.
func New(l net.Listener, n, perSource int) net.Listener {
	return &listener{
		Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{}),
		perSource: perSource, bySource: map[string]int{},
	}
}

type listener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once

	perSource int
	mu        sync.Mutex
	bySource  map[string]int // connections by the address of their other end
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		select {
		case l.slots <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
		connection, err := l.Listener.Accept()
		if err != nil {
			<-l.slots
			return nil, err
		}
		source := sourceOf(connection)
		if l.enter(source) {
			return &limitedConn{Conn: connection, release: sync.OnceFunc(func() { l.leave(source) })}, nil
		}
		_ = connection.Close()
		<-l.slots
	}
}

func (l *listener) enter(source string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bySource[source] >= l.perSource {
		return false
	}
	l.bySource[source]++
	return true
}

func (l *listener) leave(source string) {
	l.mu.Lock()
	if l.bySource[source]--; l.bySource[source] == 0 {
		delete(l.bySource, source)
	}
	l.mu.Unlock()
	<-l.slots
}

func sourceOf(connection net.Conn) string {
	host, _, err := net.SplitHostPort(connection.RemoteAddr().String())
	if err != nil {
		return connection.RemoteAddr().String()
	}
	return host
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	release func()
}

func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
