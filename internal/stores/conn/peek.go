package conn

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Peek looks into the socket of a connection. It is not for concurrent use.
type Peek struct {
	raw   syscall.RawConn
	look  func(fd uintptr) // made once, since it escapes
	ended bool             // what it found
}

// NewPeek takes a connection, which may be encrypted.
func NewPeek(conn net.Conn) (*Peek, error) {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection of type %T has no socket", conn)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	p := &Peek{raw: raw}
	p.look = func(fd uintptr) {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		// Between requests nothing may come: a byte, an end and an error are all reasons to
		// leave this connection.
		p.ended = !errors.Is(err, syscall.EAGAIN)
	}
	return p, nil
}

// Quiet says, between requests, that nothing came and that the other side has not ended the connection. It doesn't
// wait for somebody else who reads, as a driver's library may.
func (p *Peek) Quiet() bool { return p.raw.Control(p.look) == nil && !p.ended }
