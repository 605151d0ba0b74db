// Package apiserver asks the API server whose a token is, and what its user may do. It is apart from the results server, so that
// the server itself needs nothing of Kubernetes.
package apiserver

import (
	"context"
	"fmt"
	"slices"

	authentication "k8s.io/api/authentication/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	client "k8s.io/client-go/kubernetes/typed/authentication/v1"

	"github.com/kvbench/kvbench/internal/results/callers"
)

// Keys of TokenReview's user.extra that a token bound to a pod carries.
const (
	podNameKey = "authentication.kubernetes.io/pod-name"
	podUIDKey  = "authentication.kubernetes.io/pod-uid"
)

// Reviewer asks for tokens of one audience.
type Reviewer struct {
	Reviews  client.TokenReviewInterface
	Audience string
}

// Review implements callers.Reviewer.
func (r *Reviewer) Review(ctx context.Context, token string) (callers.Identity, bool, error) {
	ask := &authentication.TokenReview{
		Spec: authentication.TokenReviewSpec{Token: token, Audiences: []string{r.Audience}},
	}
	got, err := r.Reviews.Create(ctx, ask, meta.CreateOptions{})
	if err != nil {
		return callers.Identity{}, false, fmt.Errorf("ask the API server for a token review: %w", err)
	}
	who, valid := identityOf(got.Status, r.Audience)
	if valid && who.PodUID == "" && outlives(token, longestLife) {
		return callers.Identity{}, false, nil
	}
	return who, valid, nil
}

// identityOf trusts a review only if it says that the token is for the audience: an
// authenticator that knows none leaves the list empty.
func identityOf(status authentication.TokenReviewStatus, audience string) (callers.Identity, bool) {
	if !status.Authenticated || !slices.Contains(status.Audiences, audience) {
		return callers.Identity{}, false
	}
	return callers.Identity{
		Username: status.User.Username,
		Groups:   status.User.Groups,
		PodName:  only(status.User.Extra[podNameKey]),
		PodUID:   only(status.User.Extra[podUIDKey]),
	}, true
}

func only(values authentication.ExtraValue) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}
