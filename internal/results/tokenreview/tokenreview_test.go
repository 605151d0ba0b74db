package tokenreview

import (
	"testing"

	authentication "k8s.io/api/authentication/v1"

	"github.com/kvbench/kvbench/internal/results"
)

func TestWhomAReviewNames(t *testing.T) {
	user := authentication.UserInfo{Username: "system:serviceaccount:team:default", Extra: map[string]authentication.ExtraValue{
		podNameKey: {"demo-measure-a-0-x7k2p"}, podUIDKey: {"uid"}}}
	twoPods := user
	twoPods.Extra = map[string]authentication.ExtraValue{podNameKey: {"a", "b"}, podUIDKey: {"c", "d"}}
	for _, c := range []struct {
		what   string
		status authentication.TokenReviewStatus
		want   results.Identity
		valid  bool
	}{
		{"a pod's token", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"kvbench"}, User: user},
			results.Identity{Username: user.Username, PodName: "demo-measure-a-0-x7k2p", PodUID: "uid"}, true},
		{"a token without a pod", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"kvbench"},
			User: authentication.UserInfo{Username: "admin"}}, results.Identity{Username: "admin"}, true},
		{"more than one pod", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"kvbench"}, User: twoPods},
			results.Identity{Username: user.Username}, true},
		{"another audience", authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"api"}, User: user}, results.Identity{}, false},
		{"no audience", authentication.TokenReviewStatus{Authenticated: true, User: user}, results.Identity{}, false},
		{"not authenticated", authentication.TokenReviewStatus{Audiences: []string{"kvbench"}, User: user}, results.Identity{}, false},
	} {
		who, valid := identityOf(c.status, "kvbench")
		if who != c.want || valid != c.valid {
			t.Errorf("%s: %+v, %v", c.what, who, valid)
		}
	}
}
