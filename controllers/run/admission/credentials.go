package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/objects"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// labelCredentials is on a Secret whose contents runs may send to addresses of their authors'
// choice. That an account may read the Secret doesn't say so: Helm's may read all.
const labelCredentials = "kvbench.io/store-credentials"

// CheckCredentials looks whether the run may use the Secret that it names for its endpoints, and
// whether that has what is needed. It is read with the rights of the run's service account, and
// nothing of it is kept.
func (r *Checker) CheckCredentials(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	if !status.OnEndpoints(run) || compiled.Store.Secret == "" {
		return nil
	}
	if err := r.checkServiceAccount(ctx, run); err != nil {
		return err
	}
	asAccount, err := r.AccountOf(run)
	if err != nil {
		return err
	}
	name := compiled.Store.Secret
	held := &corev1.Secret{}
	err = asAccount.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, held)
	refusal := func(reason, format string, args ...any) error {
		return &compile.Refusal{Reason: reason, Message: "spec.store.securitySecret: " + fmt.Sprintf(format, args...)}
	}
	switch {
	case apierrors.IsForbidden(err):
		return refusal("SecretForbidden", "service account %s may not read the Secret %s: give it the right to get it", names.ServiceAccount(run), name)
	case apierrors.IsNotFound(err):
		return refusal("SecretMissing", "there is no Secret %s in the run's namespace: create it, and then the run again", name)
	case err != nil:
		return fmt.Errorf("reading the Secret %s as service account %s: %w", name, names.ServiceAccount(run), err)
	case held.Labels[labelCredentials] != "true":
		return refusal("SecretForbidden", "the Secret %s isn't meant for it: if runs may send what is in it to addresses of their choice, give it the label %s: \"true\"", name, labelCredentials)
	}
	missing := stores.MissingFile(compiled.Store.Security, func(file string) bool { return len(held.Data[objects.KeyOf(compiled, file)]) > 0 })
	if missing != "" {
		return refusal("SecretMissing", "the Secret %s has no %s, which %s with spec.store.security: %s needs: add it, and create the run again",
			name, objects.KeyOf(compiled, missing), compiled.Store.Driver, compiled.Store.Security)
	}
	return nil
}
