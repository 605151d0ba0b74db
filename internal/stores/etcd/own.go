package etcd

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/kvbench/kvbench/internal/stores/conn"
)

// mostTold is how many attempts to connect are remembered until somebody asks: more than a cluster has
// members.
const mostTold = 64

// making tells what comes of a client's attempts to connect, which gRPC makes in the background.
type making struct {
	credentials.TransportCredentials
	told chan error // nil for a connection that is there
}

func newMaking(encrypted *tls.Config) *making {
	return &making{transport(encrypted), make(chan error, mostTold)}
}

// options are those of the client that is followed.
func (m *making) options() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithTransportCredentials(m), grpc.WithContextDialer(m.reach)}
}

func (m *making) tell(err error) {
	select {
	case m.told <- err:
	default: // nobody has asked for long
	}
}

func (m *making) reach(ctx context.Context, address string) (net.Conn, error) {
	reached, err := conn.Reach(address)(ctx)
	if err != nil {
		m.tell(err)
	}
	return reached, err
}

// ClientHandshake encrypts the connection, if it is to be.
func (m *making) ClientHandshake(ctx context.Context, authority string, reached net.Conn) (net.Conn, credentials.AuthInfo, error) {
	made, info, err := m.TransportCredentials.ClientHandshake(ctx, authority, reached)
	m.tell(err)
	return made, info, err
}

// Clone is the same: gRPC has one for each client.
func (m *making) Clone() credentials.TransportCredentials { return m }

// await returns when so many connections were made, or one couldn't be.
func (m *making) await(ctx context.Context, connections int) error {
	for made := range connections {
		select {
		case err := <-m.told:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("%d of %d connections were made: %w", made, connections, ctx.Err())
		}
	}
	return nil
}
