package apiserver

import (
	"context"
	"encoding/base64"
	"testing"

	authentication "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	testclient "k8s.io/client-go/testing"
)

func tokenWith(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
}

func TestATokenThatLastsLongIsNobodysButAPods(t *testing.T) {
	hour, more := tokenWith(`{"iat":1700000000,"exp":1700003600}`), tokenWith(`{"iat":1700000000,"exp":1700003601}`)
	for _, c := range []struct {
		what, token string
		pod         bool
		valid       bool
	}{
		{"an hour", hour, false, true},
		{"more", more, false, false},
		{"more, of a pod", more, true, true},
		{"for ever", tokenWith(`{"iat":1700000000,"exp":1e300}`), false, false},
		{"no claims", tokenWith(`[]`), false, true},
		{"no JSON Web Token", "opaque", false, true},
	} {
		clients := fake.NewSimpleClientset()
		clients.PrependReactor("create", "tokenreviews", func(testclient.Action) (bool, runtime.Object, error) {
			user := authentication.UserInfo{Username: "somebody", Extra: map[string]authentication.ExtraValue{}}
			if c.pod {
				user.Extra[podNameKey], user.Extra[podUIDKey] = []string{"pod"}, []string{"uid"}
			}
			return true, &authentication.TokenReview{Status: authentication.TokenReviewStatus{Authenticated: true, Audiences: []string{"kvbench"}, User: user}}, nil
		})
		r := &Reviewer{Reviews: clients.AuthenticationV1().TokenReviews(), Audience: "kvbench"}
		if _, valid, err := r.Review(context.Background(), c.token); err != nil || valid != c.valid {
			t.Errorf("%s: %t, %v", c.what, valid, err)
		}
	}
}
