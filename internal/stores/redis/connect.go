package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// errUnauthorized is of a server that takes the user or the password for wrong.
var errUnauthorized = errors.New("the server refuses the user and the password")

// dial connects to a server, whose certificate has to be of the name in its address where
// connections are encrypted.
func dial(ctx context.Context, network, address string, credentials *stores.Credentials) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if credentials == nil || credentials.TLS == nil {
		return dialer.DialContext(ctx, network, address)
	}
	conn, err := (&tls.Dialer{NetDialer: dialer, Config: credentials.TLS}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	above := conn.(*tls.Conn) // as tls.Dialer says
	below, ok := above.NetConn().(syscall.Conn)
	if !ok {
		return above, nil
	}
	return &encrypted{Conn: above, below: below}, nil
}

// encrypted is a connection whose socket the client can look into before it sends, as it looks into
// one in plain text: with TLS, too, no operation notices that the server has closed it meanwhile.
// Between requests nothing else lies there: what follows a handshake is read with the answer to
// the client's greeting.
type encrypted struct {
	*tls.Conn
	below syscall.Conn
}

// Close ends it at once, as stores.HangUp says.
func (e *encrypted) Close() error { return e.NetConn().Close() }

// SyscallConn is that of the socket. The client looks into it alone, since it speaks RESP2: with RESP3 it
// would wait there for what the server says unasked.
func (e *encrypted) SyscallConn() (syscall.RawConn, error) { return e.below.SyscallConn() }

// logIn says who the client is, to a server that asks for it. What the server answers is not
// quoted: one that doesn't know the command would repeat it, and the password with it.
func logIn(ctx context.Context, conn *client.Conn, credentials *stores.Credentials) (err error) {
	switch {
	case credentials == nil || credentials.Password == "":
		return nil
	case credentials.User == "":
		err = conn.Auth(ctx, credentials.Password).Err()
	default:
		err = conn.AuthACL(ctx, credentials.User, credentials.Password).Err()
	}
	if isReply(err) {
		return errUnauthorized
	}
	return err
}
