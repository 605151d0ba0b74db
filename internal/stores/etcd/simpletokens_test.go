package etcd

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestKindsOfTokens(t *testing.T) {
	for text, simple := range map[string]bool{
		"RsbZZJZZwLZCBtXr.5": true, "RsbZZJZZwLZCBtXr.18446744073709551615": true,
		"eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6InJvb3QifQ.c2ln": false, "": false, "x": false, "x.": false, "x.y": false,
	} {
		if isSimple(text) != simple {
			t.Errorf("%q", text)
		}
	}
}

// behind is a member that has a token when it has caught up with the others.
type behind struct {
	pb.UnimplementedKVServer
	pb.UnimplementedAuthServer
	gives    string
	asked    chan struct{} // one for each question that waits
	caughtUp chan struct{} // closed
	served   atomic.Int64
	// unsettled is how many questions it has no leader for.
	unsettled atomic.Int64
}

func (m *behind) Authenticate(context.Context, *pb.AuthenticateRequest) (*pb.AuthenticateResponse, error) {
	return &pb.AuthenticateResponse{Token: m.gives}, nil
}

func (m *behind) Range(ctx context.Context, request *pb.RangeRequest) (*pb.RangeResponse, error) {
	if !request.Serializable {
		m.asked <- struct{}{}
		if m.unsettled.Add(-1) >= 0 {
			return nil, rpctypes.ErrGRPCLeaderChanged
		}
		select {
		case <-m.caughtUp:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, rpctypes.ErrGRPCUserEmpty // it was asked by nobody
}

func (m *behind) Put(ctx context.Context, _ *pb.PutRequest) (*pb.PutResponse, error) {
	header, _ := metadata.FromIncomingContext(ctx)
	select {
	case <-m.caughtUp:
	default:
		return nil, rpctypes.ErrGRPCInvalidAuthToken
	}
	if token := header.Get(rpctypes.TokenFieldNameGRPC); len(token) != 1 || token[0] != m.gives {
		return nil, rpctypes.ErrGRPCInvalidAuthToken
	}
	m.served.Add(1)
	return &pb.PutResponse{}, nil
}

// startBehind starts members that give such tokens, and ends them with the test.
func startBehind(t *testing.T, count int, gives string) (started []*behind, addresses []string) {
	for range count {
		member := &behind{gives: gives, asked: make(chan struct{}, 10), caughtUp: make(chan struct{})}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		pb.RegisterKVServer(server, member)
		pb.RegisterAuthServer(server, member)
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		started, addresses = append(started, member), append(addresses, listener.Addr().String())
	}
	return started, addresses
}

func writes(t *testing.T, addresses []string) (write func() error) {
	driver, err := Open(stores.Config{Addresses: addresses, Credentials: &stores.Credentials{User: "root", Password: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { driver.Close() })
	session, err := driver.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return func() error {
		return session.Do(&stores.Op{Kind: stores.Insert, Table: "t", Key: []byte("k"), Deadline: time.Now().Add(time.Minute)})
	}
}

func TestASimpleTokenIsUsedWhenAllMembersHaveIt(t *testing.T) {
	started, addresses := startBehind(t, 3, "RsbZZJZZwLZCBtXr.5")
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close() // nobody waits for one that is away
	write := writes(t, append(addresses, gone.Addr().String()))
	written := make(chan error, 1)
	go func() { written <- write() }()
	for _, member := range started {
		select {
		case err := <-written:
			t.Fatalf("sent before all members had the token: %v", err)
		case <-member.asked:
			close(member.caughtUp)
		}
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	for started[0].served.Load() == 0 || started[1].served.Load() == 0 || started[2].served.Load() == 0 {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNobodyWaitsForAMemberWithoutTheOthersForEver(t *testing.T) {
	started, addresses := startBehind(t, 2, "")
	close(started[0].caughtUp)
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		members{addresses: addresses}.catchUp(ctx)
	}()
	select {
	case <-started[1].asked:
	case <-returned:
		t.Fatal("it was not waited for")
	}
	cancel()
	<-returned
}

func TestAMemberWithoutALeaderIsAskedAgain(t *testing.T) {
	started, addresses := startBehind(t, 1, "")
	started[0].unsettled.Store(3)
	close(started[0].caughtUp)
	members{addresses: addresses}.catchUp(t.Context())
	if asked := len(started[0].asked); asked != 4 {
		t.Errorf("it was asked %d times", asked)
	}
}

func TestASignedTokenIsUsedAtOnce(t *testing.T) {
	started, addresses := startBehind(t, 1, "eyJhbGciOiJIUzI1NiJ9.e30.c2ln")
	close(started[0].caughtUp)
	if err := writes(t, addresses)(); err != nil || len(started[0].asked) > 0 {
		t.Errorf("%v after %d questions", err, len(started[0].asked))
	}
}
