package etcd

import (
	"context"
	"net"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/kvbench/kvbench/internal/stores"
)

// gate is a member that lists members for whoever has its token, or for all where it has no users.
type gate struct {
	pb.UnimplementedAuthServer
	pb.UnimplementedClusterServer
	password string
}

func (g *gate) Authenticate(_ context.Context, in *pb.AuthenticateRequest) (*pb.AuthenticateResponse, error) {
	switch {
	case g.password == "":
		return nil, rpctypes.ErrGRPCAuthNotEnabled
	case in.Name != "root" || in.Password != g.password:
		return nil, rpctypes.ErrGRPCAuthFailed
	}
	return &pb.AuthenticateResponse{Token: "good"}, nil
}

func (g *gate) MemberList(ctx context.Context, _ *pb.MemberListRequest) (*pb.MemberListResponse, error) {
	header, _ := metadata.FromIncomingContext(ctx)
	if g.password != "" && strings.Join(header.Get("token"), "") != "good" {
		return nil, rpctypes.ErrGRPCUserEmpty
	}
	return &pb.MemberListResponse{}, nil
}

func (g *gate) serve(t *testing.T) (clientURL string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterAuthServer(server, g)
	pb.RegisterClusterServer(server, g)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return "http://" + listener.Addr().String()
}

// One that is away, as the member itself is while it starts, doesn't hide what another one says.
func TestAMemberSaysWhoItIsToTheOthers(t *testing.T) {
	for name, c := range map[string]struct {
		password string
		held     *stores.Credentials
		says     string // "" is served
	}{
		"its password":                        {"x", some, ""},
		"another password":                    {"y", some, "invalid user ID or password"},
		"none, of members that ask":           {"x", nil, "user name is empty"},
		"none, of members that don't":         {"", nil, ""},
		"its password, before users are made": {"", some, ""},
	} {
		j, err := newJoin(command(t.TempDir(), nobody(t)), c.held)
		if err != nil {
			t.Fatal(err)
		}
		clients := []string{(&gate{password: c.password}).serve(t), "http://" + nobody(t)}
		err = j.ask(t.Context(), clients, func(ctx context.Context, cluster pb.ClusterClient) error {
			_, err := cluster.MemberList(ctx, &pb.MemberListRequest{})
			return err
		})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
