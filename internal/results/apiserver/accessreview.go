package apiserver

import (
	"context"
	"fmt"

	authorization "k8s.io/api/authorization/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	client "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/callers"
)

// Authorizer asks what users may do.
type Authorizer struct {
	Reviews client.SubjectAccessReviewInterface
}

// Allowed implements callers.Authorizer.
func (a *Authorizer) Allowed(ctx context.Context, who callers.Identity, what callers.Permission) (bool, error) {
	ask := &authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{
		User:   who.Username,
		Groups: who.Groups,
		ResourceAttributes: &authorization.ResourceAttributes{
			Namespace: what.Namespace, Verb: what.Verb, Group: v1alpha1.GroupVersion.Group, Resource: what.Resource,
		},
	}}
	got, err := a.Reviews.Create(ctx, ask, meta.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask the API server for an access review: %w", err)
	}
	return got.Status.Allowed && !got.Status.Denied, nil
}
