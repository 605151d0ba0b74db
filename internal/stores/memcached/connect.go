package memcached

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// errUnauthorized is of a member that takes the user or the password for wrong.
var errUnauthorized = errors.New("the member refuses the user and the password")

// connect makes a connection over which requests can be sent, before ctx ends. plain is what lies
// below it. Where members ask for a password, it is the first item that a client sets:
// https://github.com/memcached/memcached/blob/master/doc/protocol.txt, "Authentication".
func connect(ctx context.Context, address string, credentials *stores.Credentials) (conn net.Conn, plain *net.TCPConn, err error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	if conn, err = dialer.DialContext(ctx, "tcp", address); err != nil {
		return nil, nil, err
	}
	plain = conn.(*net.TCPConn) // of the network "tcp" it is one
	if credentials == nil {
		return conn, plain, nil
	}
	// A deadline in the past ends what is under way when ctx does.
	stop := context.AfterFunc(ctx, func() { _ = plain.SetDeadline(time.Unix(1, 0)) })
	if conn, err = encrypt(ctx, conn, address, credentials); err == nil {
		err = logIn(conn, credentials)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		plain.Close() // there is nobody to tell of an error
		return nil, nil, err
	}
	return conn, plain, nil
}

func encrypt(ctx context.Context, conn net.Conn, address string, credentials *stores.Credentials) (net.Conn, error) {
	if credentials.TLS == nil {
		return conn, nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return conn, err
	}
	config := credentials.TLS.Clone()
	config.ServerName = host
	encrypted := tls.Client(conn, config)
	return encrypted, encrypted.HandshakeContext(ctx)
}

// logIn sends the user and the password, where there is one, to a member that asks for it: one that
// doesn't would keep them, as an item that everybody reads. All that the member has sent is read then,
// so that a look into the socket finds nothing between requests.
func logIn(conn net.Conn, credentials *stores.Credentials) error {
	if credentials.Password == "" {
		return nil
	}
	in := bufio.NewReader(conn)
	line, err := exchange(conn, in, "version\r\n")
	switch {
	case err != nil:
		return err
	case bytes.HasPrefix(line, []byte("VERSION ")):
		return fmt.Errorf("%w: it asks for none", errUnauthorized)
	case string(line) != "CLIENT_ERROR unauthenticated":
		return fmt.Errorf("%w: it answered %.100q", errUnauthorized, line)
	}
	word := credentials.User + " " + credentials.Password
	line, err = exchange(conn, in, fmt.Sprintf("set auth 0 0 %d\r\n%s\r\n", len(word), word))
	switch {
	case err != nil:
		return err
	case string(line) == "STORED":
		return nil
	}
	return fmt.Errorf("%w: it answered %.100q", errUnauthorized, line)
}

func exchange(conn net.Conn, in *bufio.Reader, request string) (line []byte, err error) {
	if _, err := conn.Write([]byte(request)); err != nil {
		return nil, err
	}
	return readLine(in)
}
