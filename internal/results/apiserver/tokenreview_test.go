package apiserver

import (
	"reflect"
	"testing"

	authentication "k8s.io/api/authentication/v1"

	"github.com/kvbench/kvbench/internal/results/callers"
)

func TestWhomAReviewNames(t *testing.T) {
	user := authentication.UserInfo{Username: "system:serviceaccount:team:default", Groups: []string{"team"}, Extra: map[string]authentication.ExtraValue{
		podNameKey: {"demo-measure-a-0-x7k2p"}, podUIDKey: {"uid"}}}
	twoPods := user
	twoPods.Extra = map[string]authentication.ExtraValue{podNameKey: {"a", "b"}, podUIDKey: {"c", "d"}}
	for _, c := range []struct {
		what   string
		status authentication.TokenReviewStatus
		want   callers.Identity
		valid  bool
	}{
		{"a pod's token", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"kvbench"}, User: user},
			callers.Identity{Username: user.Username, Groups: user.Groups, PodName: "demo-measure-a-0-x7k2p", PodUID: "uid"}, true},
		{"a token without a pod", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"kvbench"},
			User: authentication.UserInfo{Username: "admin"}}, callers.Identity{Username: "admin"}, true},
		{"more than one pod", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"kvbench"}, User: twoPods},
			callers.Identity{Username: user.Username, Groups: user.Groups}, true},
		{"another audience", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"api"}, User: user}, callers.Identity{}, false},
		{"no audience", authentication.TokenReviewStatus{Authenticated: true, User: user}, callers.Identity{}, false},
		{"not authenticated", authentication.TokenReviewStatus{Audiences: []string{"kvbench"}, User: user}, callers.Identity{}, false},
	} {
		who, valid := identityOf(c.status, "kvbench")
		if !reflect.DeepEqual(who, c.want) || valid != c.valid {
			t.Errorf("%s: %+v, %v", c.what, who, valid)
		}
	}
}
