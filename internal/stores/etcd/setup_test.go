package etcd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
)

// store has users as etcd has them. It loses who asks after so many steps.
type store struct {
	pb.AuthClient
	lives    int
	password string // root's; "" is no such user
	role     bool
	granted  bool
	enabled  bool
}

var errKilled = errors.New("killed")

// step is one of an administrator's: it is done before whoever asked for it may die.
func (s *store) step(do func() error) error {
	if s.enabled {
		return rpctypes.ErrGRPCUserEmpty
	}
	if s.lives == 0 {
		return errKilled
	}
	s.lives--
	if err := do(); err != nil {
		return err
	}
	if s.lives == 0 {
		return errKilled
	}
	return nil
}

func (s *store) UserAdd(_ context.Context, in *pb.AuthUserAddRequest, _ ...grpc.CallOption) (*pb.AuthUserAddResponse, error) {
	return nil, s.step(func() error {
		if s.password != "" {
			return rpctypes.ErrGRPCUserAlreadyExist
		}
		s.password = in.Name + ":" + in.Password
		return nil
	})
}

func (s *store) RoleAdd(_ context.Context, in *pb.AuthRoleAddRequest, _ ...grpc.CallOption) (*pb.AuthRoleAddResponse, error) {
	return nil, s.step(func() error {
		if s.role {
			return rpctypes.ErrGRPCRoleAlreadyExist
		}
		s.role = in.Name == "root"
		return nil
	})
}

func (s *store) UserGrantRole(_ context.Context, in *pb.AuthUserGrantRoleRequest, _ ...grpc.CallOption) (*pb.AuthUserGrantRoleResponse, error) {
	return nil, s.step(func() error {
		s.granted = s.role && strings.HasPrefix(s.password, in.User+":") && in.Role == "root"
		return nil
	})
}

func (s *store) AuthEnable(context.Context, *pb.AuthEnableRequest, ...grpc.CallOption) (*pb.AuthEnableResponse, error) {
	return nil, s.step(func() error {
		if !s.granted {
			return rpctypes.ErrGRPCRootRoleNotExist
		}
		s.enabled = true
		return nil
	})
}

func (s *store) Authenticate(ctx context.Context, in *pb.AuthenticateRequest, _ ...grpc.CallOption) (*pb.AuthenticateResponse, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !s.enabled:
		return nil, rpctypes.ErrGRPCAuthNotEnabled
	case s.password != in.Name+":"+in.Password:
		return nil, rpctypes.ErrGRPCAuthFailed
	}
	return &pb.AuthenticateResponse{Token: "t"}, nil
}

// Whoever sets up may be killed after each step, and another one begins.
func TestUsersAreSetUpAfterAnyKill(t *testing.T) {
	me := authenticator{"root", "x"}
	for killed := 1; killed <= 4; killed++ {
		s := &store{lives: killed}
		if done, err := me.setUp(t.Context(), s); done || !errors.Is(err, errKilled) {
			t.Fatalf("killed after step %d: %v, %v", killed, done, err)
		}
		if s.enabled != (killed == 4) {
			t.Fatalf("after step %d: %+v", killed, s)
		}
		s.lives = -1
		done, err := me.setUp(t.Context(), s)
		if err != nil || done != (killed < 4) || !s.enabled {
			t.Errorf("killed after step %d, then %v, %v: %+v", killed, done, err, s)
		}
		if text, err := me.authenticate(t.Context(), s); err != nil || text != "t" {
			t.Errorf("killed after step %d: %q, %v", killed, text, err)
		}
	}
}

func TestWhoSetsUpUsers(t *testing.T) {
	for name, c := range map[string]struct {
		config stores.Config
		want   bool
	}{
		"the run's own members":            {stores.Config{Credentials: some}, true},
		"members of others":                {stores.Config{Credentials: some, Shared: true}, false},
		"members who ask for certificates": {stores.Config{Credentials: &stores.Credentials{User: "root", Password: "x", TLS: testTLS}}, false},
		"members who ask for nothing":      {stores.Config{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, users := &store{lives: -1}, newTokens(c.config.Credentials)
			o := &observer{auths: []pb.AuthClient{s}, users: users, setsUp: setsUp(c.config, users)}
			if o.users != nil {
				o.users.newest.Store(nextToken(o.users.newest.Load(), "", rpctypes.ErrGRPCAuthNotEnabled, o.users.needed))
			}
			did, err := o.Repair(t.Context(), time.Second)
			if err != nil || s.enabled != c.want || strings.Contains(did, "enabled authentication") != c.want {
				t.Errorf("%q, %v: %+v", did, err, s)
			}
		})
	}
}

func TestAMemberThatHangsIsNotTheFirstToBeAskedAgain(t *testing.T) {
	s := &store{lives: -1}
	me := authenticator{"root", "x"}
	if _, err := me.setUp(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	o := &observer{auths: []pb.AuthClient{s, &hanging{}, s}}
	for i, given := range []bool{false, true, true, false, true} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		_, err := o.askInTurn(ctx, me)
		cancel()
		if (err == nil) != given {
			t.Errorf("attempt %d: %v", i+1, err)
		}
	}
}

type hanging struct{ pb.AuthClient }

func (*hanging) Authenticate(ctx context.Context, _ *pb.AuthenticateRequest, _ ...grpc.CallOption) (*pb.AuthenticateResponse, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestATokenIsBounded(t *testing.T) {
	if text, err := (authenticator{}).authenticate(t.Context(), &lavish{}); err == nil || text != "" {
		t.Errorf("a token of %d bytes was taken", len(text))
	}
}

type lavish struct{ pb.AuthClient }

func (*lavish) Authenticate(context.Context, *pb.AuthenticateRequest, ...grpc.CallOption) (*pb.AuthenticateResponse, error) {
	return &pb.AuthenticateResponse{Token: strings.Repeat("t", maxToken+1)}, nil
}

func TestMembersThatLetEverybodyInAreNotHealthy(t *testing.T) {
	const trouble = "Unauthorized: etcdserver: authentication is not enabled"
	states := func() []stores.MemberState {
		return []stores.MemberState{
			{Name: "e-0", Role: stores.MemberLeader, Healthy: true},
			{Name: "e-1", Role: stores.MemberUnknown, Error: "Unauthorized: etcdserver: user name is empty"},
			{Name: "e-2", Role: stores.MemberUnknown, Error: "Unavailable: connection refused"},
		}
	}
	if got := troubled(states(), ""); !slices.Equal(got, states()) {
		t.Errorf("without trouble: %+v", got)
	}
	want := states()
	want[0].Healthy, want[0].Error, want[1].Error = false, trouble, trouble
	if got := troubled(states(), trouble); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
