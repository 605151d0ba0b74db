package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// errUnauthorized is of a server that takes the user or the password for wrong.
var errUnauthorized = errors.New("the server refuses the user and the password")

// errFull is of a server that takes no more connections, which it says as the answer to anything.
var errFull = errors.New("the server takes no more connections")

// dialerOf makes connections to a server, whose certificate has to be of the name in its address where
// connections are encrypted.
func dialerOf(address string, credentials *stores.Credentials) conn.Dialer {
	return conn.Dialer{
		Reach: conn.Reach(address),
		Greet: func(ctx context.Context, reached net.Conn) (*conn.Conn, error) {
			return greet(ctx, reached, address, credentials)
		},
	}
}

func greet(ctx context.Context, reached net.Conn, address string, credentials *stores.Credentials) (*conn.Conn, error) {
	reached, err := conn.Encrypt(ctx, reached, address, credentials)
	if err != nil {
		return nil, err
	}
	made, err := conn.New(reached)
	if err != nil {
		return nil, err
	}
	if credentials != nil {
		if err := logIn(made, credentials); err != nil {
			return nil, err
		}
	}
	return made, sayHello(made)
}

// logIn says who the client is, to a server that asks for it. What the server answers is not
// quoted: one that doesn't know the command would repeat it, and the password with it.
func logIn(made *conn.Conn, credentials *stores.Credentials) error {
	hello := &pipeline{}
	switch {
	case credentials.Password == "":
		return nil
	case credentials.User == "":
		hello.commands.Command("AUTH", credentials.Password)
	default:
		hello.commands.Command("AUTH", credentials.User, credentials.Password)
	}
	if err := hello.exchange(made); err != nil {
		return err
	}
	err := hello.answers.Of(0).Err()
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), "ERR max number of clients"):
		return errFull
	}
	return errUnauthorized
}

// sayHello waits for an answer. A server that is full says so when a connection is made, and ends it:
// that is an error of no word. One that loads its data, or wants a password, is there: what it says of
// the operation is what counts.
func sayHello(made *conn.Conn) error {
	hello := &pipeline{}
	hello.commands.Command("PING")
	if err := hello.exchange(made); err != nil {
		return err
	}
	if err := hello.answers.Of(0).Err(); err != nil && codeOf(err) == codeOther {
		return fmt.Errorf("the server refuses the connection: %.200s", err.Error())
	}
	return nil
}
