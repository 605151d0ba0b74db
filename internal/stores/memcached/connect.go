package memcached

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// errUnauthorized is of a member that takes the user or the password for wrong.
var errUnauthorized = errors.New("the member refuses the user and the password")

// dialerOf makes connections to a member, encrypted where there is a configuration for it. Where members
// ask for a password, it is the first item that a client sets:
// https://github.com/memcached/memcached/blob/master/doc/protocol.txt, "Authentication".
func dialerOf(address string, credentials *stores.Credentials) conn.Dialer {
	return conn.Dialer{
		Reach: conn.Reach(address),
		Greet: func(ctx context.Context, reached net.Conn) (*conn.Conn, error) {
			reached, err := conn.Encrypt(ctx, reached, address, credentials)
			if err != nil {
				return nil, err
			}
			made, err := conn.New(reached)
			if err != nil {
				return nil, err
			}
			return made, greet(made, credentials)
		},
	}
}

// greet waits for an answer: the kernel takes connections for a member that stands still. It sends the
// user and the password, where there is one, to a member that asks for it: one that doesn't would keep
// them, as an item that everybody reads. All that the member has sent is read then, so that a look into
// the socket finds nothing between requests.
func greet(made *conn.Conn, credentials *stores.Credentials) error {
	line, err := exchange(made, "version\r\n")
	if err != nil {
		return err
	}
	known := bytes.HasPrefix(line, []byte("VERSION "))
	switch {
	case credentials == nil || credentials.Password == "":
		if !known {
			return fmt.Errorf("it answered %.100q", line)
		}
		return nil
	case known:
		return fmt.Errorf("%w: it asks for none", errUnauthorized)
	case string(line) != "CLIENT_ERROR unauthenticated":
		return fmt.Errorf("%w: it answered %.100q", errUnauthorized, line)
	}
	word := credentials.User + " " + credentials.Password
	line, err = exchange(made, fmt.Sprintf("set auth 0 0 %d\r\n%s\r\n", len(word), word))
	switch {
	case err != nil:
		return err
	case string(line) == "STORED":
		return nil
	}
	return fmt.Errorf("%w: it answered %.100q", errUnauthorized, line)
}

func exchange(made *conn.Conn, request string) (line []byte, err error) {
	if _, err := made.Write([]byte(request)); err != nil {
		return nil, err
	}
	return readLine(made.In)
}
