package results

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// HTTPServer makes the shell around the server. It speaks HTTP/1.1 alone, since a
// connection of HTTP/2 may hold a megabyte of every stream's body in memory.
func HTTPServer(handler http.Handler, limits Limits, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error), log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		ReadHeaderTimeout: 10 * time.Second,
		// A wait for a start must fit: the deadline ends waiting requests too.
		ReadTimeout:    limits.RequestLimit,
		IdleTimeout:    limits.RequestLimit,
		MaxHeaderBytes: limits.HeaderBytes,
		TLSConfig:      &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: certificate},
		// What the package would log are the mistakes of callers.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// LimitListener accepts at most n connections at once; the others wait in the kernel's
// queue.
func LimitListener(l net.Listener, n int) net.Listener {
	return &limitListener{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

type limitListener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limitListener) Accept() (net.Conn, error) {
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
	return &limitedConn{Conn: connection, release: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limitListener) Close() error {
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
