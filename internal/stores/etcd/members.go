package etcd

import (
	"crypto/tls"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// members are asked each over a connection of its own: which one an answer comes from is never in
// doubt, and one that hangs delays no other.
type members struct {
	addresses []string
	encrypted *tls.Config // nil: in plain text
}

// dial connects in the background, in the order of the addresses.
func (m members) dial(more ...grpc.DialOption) (conns []*grpc.ClientConn, err error) {
	for _, address := range m.addresses {
		conn, err := m.client(address, more...)
		if err != nil {
			return nil, errors.Join(err, closeAll(conns))
		}
		conns = append(conns, conn)
	}
	return conns, nil
}

// client is one of the member of that address.
func (m members) client(address string, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	options := append([]grpc.DialOption{
		connectParams(), grpc.WithNoProxy(), grpc.WithTransportCredentials(transport(m.encrypted)), grpc.WithIdleTimeout(0),
		// Deadlines end questions, never a connection whose other side has gone in silence.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepaliveEvery, Timeout: keepaliveTimeout}),
	}, more...)
	// passthrough: the name is resolved at each dial, as a pod's address changes when it is replaced.
	conn, err := grpc.NewClient("passthrough:///"+address, options...)
	if err != nil {
		return nil, fmt.Errorf("etcd: connect to %s: %w", address, err)
	}
	return conn, nil
}

// transport is plain text where there is no configuration.
func transport(encrypted *tls.Config) credentials.TransportCredentials {
	if encrypted == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(encrypted) // it asks for the name that was dialed
}

func closeAll(conns []*grpc.ClientConn) error {
	var failures []error
	for _, conn := range conns {
		failures = append(failures, conn.Close())
	}
	return errors.Join(failures...)
}

func connectParams() grpc.DialOption {
	return grpc.WithConnectParams(grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: reconnectBase, Multiplier: 1.6, Jitter: 0.2, MaxDelay: reconnectMax},
		MinConnectTimeout: dialTimeout,
	})
}
