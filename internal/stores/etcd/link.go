package etcd

import (
	"context"
	"errors"
	"net"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// link is a connection to one member that sessions share: a client of gRPC's that has one connection, and
// doesn't make it again.
type link struct {
	socket net.Conn
	client *grpc.ClientConn
	kv     pb.KVClient
}

// Sound says that the connection has not ended, and that the member takes requests over it.
func (l *link) Sound() bool { return l.client.GetState() == connectivity.Ready }

// HangUp ends the socket first: gRPC takes leave of the member, and waits for it.
func (l *link) HangUp() {
	stores.HangUp(l.socket)
	go l.client.Close() // there is nobody to tell of an error
}

// errSpent is of a connection that has ended, and closing what gRPC says of one that was hung up.
var errSpent = errors.New("the connection has ended, and is not made again")

const closing = "grpc: the client connection is closing"

// openers make links to the members.
func (m members) openers(more ...grpc.DialOption) (all []conn.Opener) {
	for _, address := range m.addresses {
		all = append(all, conn.Opener{
			Reach: conn.Reach(address),
			Greet: func(ctx context.Context, reached net.Conn) (conn.Link, error) {
				made := make(chan net.Conn, 1)
				made <- reached
				once := grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
					select {
					case socket := <-made:
						return socket, nil
					default:
						return nil, errSpent
					}
				})
				client, err := m.client(address, append(more[:len(more):len(more)], once)...)
				if err != nil {
					return nil, err
				}
				l := &link{socket: reached, client: client, kv: pb.NewKVClient(client)}
				if err := l.await(ctx); err != nil {
					l.HangUp()
					return nil, err
				}
				return l, nil
			},
		})
	}
	return all
}

// await returns when the member has answered: gRPC is ready when it has the member's settings.
func (l *link) await(ctx context.Context) error {
	l.client.Connect()
	for state := l.client.GetState(); state != connectivity.Ready; state = l.client.GetState() {
		if state == connectivity.TransientFailure {
			// Only to a request gRPC says why. This one is never sent.
			_, err := l.kv.Range(ctx, pingRequest(true))
			return errors.Join(errors.New("no connection could be made"), err)
		}
		if !l.client.WaitForStateChange(ctx, state) {
			return ctx.Err()
		}
	}
	return nil
}

// leave gives the place of an operation back that ended so. again says that it was never sent, as the
// connection had ended: another one is asked, as gRPC does by itself where it has several.
func leave(line *conn.Line, turn *conn.Turn, err error) (again bool) {
	cause := err
	if failure := (*stores.Error)(nil); errors.As(err, &failure) {
		cause = failure.Err
	}
	code, text := status.Code(cause), rpctypes.ErrorDesc(cause)
	switch {
	case isSpent(text):
		line.Refused()
		return true
	case isLost(cause):
		line.Lost(cause)
	case code == codes.DeadlineExceeded && !strings.HasPrefix(text, noToken):
		line.Unanswered()
	default:
		line.Answered(turn)
	}
	return false
}

// isSpent says that gRPC had no connection for the request any more.
func isSpent(text string) bool {
	return strings.Contains(text, errSpent.Error()) || text == closing
}

// saidByEtcd says that the error is a member's answer.
func saidByEtcd(err error) bool {
	var known rpctypes.EtcdError
	return errors.As(rpctypes.Error(err), &known)
}
