package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"

	"github.com/kvbench/kvbench/internal/stores"
)

// rootUser is etcd's name of its administrator, without whom there are no users, and of that one's role.
const rootUser = "root"

// authenticator is who a client is.
type authenticator struct{ name, password string }

// accountOf is root where the credentials name nobody.
func accountOf(credentials *stores.Credentials) authenticator {
	return authenticator{cmp.Or(credentials.User, rootUser), credentials.Password}
}

// authenticate asks a member for a token.
func (a authenticator) authenticate(ctx context.Context, member pb.AuthClient, options ...grpc.CallOption) (string, error) {
	answer, err := member.Authenticate(ctx, &pb.AuthenticateRequest{Name: a.name, Password: a.password}, options...)
	if err != nil {
		return "", err
	}
	if len(answer.GetToken()) > maxToken {
		return "", fmt.Errorf("etcd: a token of %d bytes", len(answer.GetToken()))
	}
	return answer.GetToken(), nil
}

// setUp makes the user and has the members ask for one, which they don't when they start. Each step
// is done if it isn't, so that one who is killed in between leaves nothing that the next can't finish.
// done is false where somebody else was faster.
func (a authenticator) setUp(ctx context.Context, member pb.AuthClient) (done bool, err error) {
	for _, step := range []struct {
		what string
		do   func() error
		// before is the answer where an earlier attempt has done it.
		before error
	}{
		{"make the user " + a.name, func() error {
			_, err := member.UserAdd(ctx, &pb.AuthUserAddRequest{Name: a.name, Password: a.password})
			return err
		}, rpctypes.ErrUserAlreadyExist},
		{"make the role " + rootUser, func() error {
			_, err := member.RoleAdd(ctx, &pb.AuthRoleAddRequest{Name: rootUser})
			return err
		}, rpctypes.ErrRoleAlreadyExist},
		{"grant the role " + rootUser, func() error {
			_, err := member.UserGrantRole(ctx, &pb.AuthUserGrantRoleRequest{User: a.name, Role: rootUser})
			return err
		}, nil}, // once more is no error
		{"enable authentication", func() error {
			_, err := member.AuthEnable(ctx, &pb.AuthEnableRequest{})
			return err
		}, nil}, // the same
	} {
		switch err := rpctypes.Error(step.do()); {
		case err == nil || step.before != nil && errors.Is(err, step.before):
		case errors.Is(err, rpctypes.ErrUserEmpty):
			return false, nil // users are asked for by now
		default:
			return false, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return true, nil
}
