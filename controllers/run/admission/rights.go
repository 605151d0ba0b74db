package admission

import (
	"context"
	"fmt"
	"path"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
)

// verbOfNobody is no verb of Kubernetes' or of kvbench's. Whoever has it has all verbs ("*"), and none
// of them was given for what it means to kvbench.
const verbOfNobody = "kvbench-none"

// lacks is why the run's service account may not use a verb that only kvbench knows, as a part of a
// sentence behind the account's name; "" where it was given the verb by its name.
func (r *Checker) lacks(ctx context.Context, run *v1alpha1.BenchmarkRun, verb string, on authorizationv1.ResourceAttributes) (string, error) {
	object := path.Join(on.Resource, on.Name)
	given, err := r.mayDo(ctx, run, verb, on)
	if err != nil || !given {
		return fmt.Sprintf("hasn't the verb %s on %s", verb, object), err
	}
	all, err := r.mayDo(ctx, run, verbOfNobody, on)
	if err != nil || all {
		return fmt.Sprintf("has all verbs on %s (\"*\"), which isn't taken for %s", object, verb), err
	}
	return "", nil
}

// mayDo asks whether the run's service account may do that in the run's namespace.
func (r *Checker) mayDo(ctx context.Context, run *v1alpha1.BenchmarkRun, verb string, on authorizationv1.ResourceAttributes) (bool, error) {
	asAccount, err := r.AccountOf(run)
	if err != nil {
		return false, err
	}
	on.Namespace, on.Verb = run.Namespace, verb
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &on}}
	if err := asAccount.Create(ctx, review); err != nil {
		return false, fmt.Errorf("asking whether service account %s has the verb %s on %s: %w", names.ServiceAccount(run), verb, on.Resource, err)
	}
	return review.Status.Allowed, nil
}
