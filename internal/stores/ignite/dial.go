package ignite

import (
	"context"
	"net"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// dialTimeout bounds an attempt to connect. A failed one is an operation's failure.
const dialTimeout = time.Second

// connection is to a member that has taken it for a client's.
type connection struct {
	*conn.Conn
	member uuid // who it is
}

// dial connects to the member of the address, for as long as the context lets it.
func dial(ctx context.Context, address string, who *stores.Credentials) (*connection, error) {
	var c connection
	dialer := conn.Dialer{Reach: conn.Reach(address), Greet: func(ctx context.Context, reached net.Conn) (*conn.Conn, error) {
		var err error
		c, err = greet(ctx, reached, address, who)
		return c.Conn, err
	}}
	if _, err := dialer.Dial(ctx); err != nil {
		return nil, err
	}
	return &c, nil
}

// greet encrypts the connection where the credentials are for that, and makes a client of it. What else a handshake
// leaves in the socket is read with the answer to the introduction.
func greet(ctx context.Context, reached net.Conn, address string, who *stores.Credentials) (connection, error) {
	encrypted, err := conn.Encrypt(ctx, reached, address, who)
	if err != nil {
		return connection{}, err
	}
	made, err := conn.New(encrypted)
	if err != nil {
		return connection{}, err
	}
	var request builder
	appendIntroduction(&request, who)
	if _, err := made.Write(request.out); err != nil {
		return connection{}, err
	}
	in := reader{in: made.In}
	answer, err := in.next()
	if err != nil {
		return connection{}, err
	}
	member, err := decodeIntroduction(answer)
	return connection{made, member}, err
}
