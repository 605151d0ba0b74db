package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// labelCredentials is on a Secret whose contents runs may send to addresses of their authors'
// choice. That an account may read the Secret doesn't say so: Helm's may read all.
const labelCredentials = "kvbench.io/store-credentials"

// keyOf is the key of a file of credentials in the plan's Secret. One of somebody's own has the
// names of a Secret of the type kubernetes.io/tls.
func keyOf(p *plan.Plan, file string) string {
	if p.Store.Existing {
		switch file {
		case stores.FileClientCert:
			return corev1.TLSCertKey
		case stores.FileClientKey:
			return corev1.TLSPrivateKeyKey
		}
	}
	return file
}

// checkCredentials looks whether the run may use the Secret that it names for its endpoints, and
// whether that has what is needed. It is read with the rights of the run's service account, and
// nothing of it is kept.
func (r *Reconciler) checkCredentials(ctx context.Context, run *v1alpha1.BenchmarkRun, compiled *plan.Plan) error {
	if !onEndpoints(run) || compiled.Store.Secret == "" {
		return nil
	}
	if err := r.checkServiceAccount(ctx, run); err != nil {
		return err
	}
	asAccount, err := r.accountOf(run)
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
		return refusal("SecretForbidden", "service account %s may not read the Secret %s: give it the right to get it", serviceAccount(run), name)
	case apierrors.IsNotFound(err):
		return refusal("SecretMissing", "there is no Secret %s in the run's namespace: create it, and then the run again", name)
	case err != nil:
		return fmt.Errorf("reading the Secret %s as service account %s: %w", name, serviceAccount(run), err)
	case held.Labels[labelCredentials] != "true":
		return refusal("SecretForbidden", "the Secret %s isn't meant for it: if runs may send what is in it to addresses of their choice, give it the label %s: \"true\"", name, labelCredentials)
	}
	missing := stores.MissingFile(compiled.Store.Security, func(file string) bool { return len(held.Data[keyOf(compiled, file)]) > 0 })
	if missing != "" {
		return refusal("SecretMissing", "the Secret %s has no %s, which %s with spec.store.security: %s needs: add it, and create the run again",
			name, keyOf(compiled, missing), compiled.Store.Driver, compiled.Store.Security)
	}
	return nil
}

// recheckCredentials checks them again before pods mount them: what allowed it may have been
// withdrawn while the run waited. good is false when the run fails over it.
func (r *Reconciler) recheckCredentials(ctx context.Context, o *observed) (good bool, err error) {
	err = r.checkCredentials(ctx, o.Run, o.Plan)
	var refusal *compile.Refusal
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &refusal):
		failing(o, decision{Verb: doFail, Reason: refusal.Reason, Message: refusal.Message})
		return false, nil
	}
	installFailed(o, "the Secret of spec.store.securitySecret could not be looked at yet: "+stable(err))
	return false, err
}

// unauthorized says what to do where members, as the observer saw them, take the run's credentials
// for wrong; "" where none does.
func unauthorized(run *v1alpha1.BenchmarkRun, line *bundle.TopologyLine) string {
	if !slices.ContainsFunc(line.Members, func(m stores.MemberState) bool { return strings.HasPrefix(m.Error, stores.CodeUnauthorized) }) {
		return ""
	}
	store := &run.Spec.Store
	entry, known := catalog.Find(firstOf(store.Driver, store.Name))
	switch {
	case hasOwnChart(run):
		return fmt.Sprintf("spec.store.chart: the members of %s ask for credentials, or for TLS, and there are no credentials for a chart yet: turn them off by a value of the chart", store.Name)
	case !onEndpoints(run):
		return "" // they have what the run made for them: what they say is all there is to say
	case known && len(entry.Security.Levels) == 0:
		return fmt.Sprintf("spec.store.endpoints: the members of %s ask for credentials, or for TLS, and %s has no spec.store.security: %s: turn them off", store.Name, entry.Name, entry.Security.Lacks)
	case store.SecuritySecret == "":
		return fmt.Sprintf("spec.store.security: the members of %s ask for credentials, or for TLS: set it, and spec.store.securitySecret", store.Name)
	}
	return fmt.Sprintf("spec.store.securitySecret: the members of %s and the Secret %s don't fit each other: correct the Secret, or spec.store.security, and create the run again",
		store.Name, store.SecuritySecret)
}
