package act

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/objects"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/compile"
)

// recheckCredentials checks them again before pods mount them: what allowed it may have been
// withdrawn while the run waited. good is false when the run fails over it.
func (r *Actor) recheckCredentials(ctx context.Context, o *state.Observed) (good bool, err error) {
	err = r.checker().CheckCredentials(ctx, o.Run, o.Plan)
	var refusal *compile.Refusal
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &refusal):
		failing(o, decide.Decision{Verb: decide.DoFail, Reason: refusal.Reason, Message: refusal.Message})
		return false, nil
	}
	installFailed(o, "the Secret of spec.store.securitySecret could not be looked at yet: "+message.Stable(err))
	return false, err
}

// A run's credentials are in a Secret of its namespace, made with the rights of the run's
// service account, which may write Secrets for Helm: the controller itself may read none there.

// makeCredentials makes the Secret, once, before whoever mounts it. made is false when the run
// fails over it.
func (r *Actor) makeCredentials(ctx context.Context, o *state.Observed) (made bool, err error) {
	if o.Plan.Store.Secret == "" {
		return true, nil
	}
	if status.OnEndpoints(o.Run) {
		return r.recheckCredentials(ctx, o)
	}
	secret, err := objects.Secret(o.Run, o.Plan, o.Now)
	if err != nil {
		return false, err
	}
	asAccount, err := r.AccountOf(o.Run)
	if err != nil {
		return false, err
	}
	err = asAccount.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		// Of an earlier pass, whose password the members may have by now; or somebody else's.
		existing := &corev1.Secret{}
		err = asAccount.Get(ctx, client.ObjectKeyFromObject(secret), existing)
		if err == nil && !names.MadeFor(o.Run, existing) {
			failing(o, decide.Fail(status.ReasonNameTaken, "the Secret %s exists and isn't this run's: delete it, and create the run again", secret.Name))
			return false, nil
		}
	}
	switch {
	case err == nil:
		return true, nil
	case requests.Refused(err):
		failing(o, decide.Fail("DeployRefused", "the API server refused the Secret %s for spec.store.security, which is made with the rights of service account %s: %v", secret.Name, names.ServiceAccount(o.Run), err))
		return false, nil
	}
	installFailed(o, "the Secret for spec.store.security could not be made yet: "+message.Stable(err))
	return false, fmt.Errorf("making the Secret %s: %w", secret.Name, err)
}

// deleteCredentials removes the Secret of a store that is being removed. One that the service
// account may not remove any more goes with the run, which owns it.
func (r *Actor) deleteCredentials(ctx context.Context, o *state.Observed) error {
	if level := o.Run.Spec.Store.Security; level == "" || level == v1alpha1.SecurityNone || status.OnEndpoints(o.Run) {
		return nil
	}
	asAccount, err := r.AccountOf(o.Run)
	if err != nil {
		return err
	}
	held := &corev1.Secret{}
	key := client.ObjectKey{Namespace: o.Run.Namespace, Name: compile.SecretName(names.RunID(o.Run))}
	err = asAccount.Get(ctx, key, held)
	if err == nil && names.MadeFor(o.Run, held) {
		err = asAccount.Delete(ctx, held, client.Preconditions{UID: &held.UID})
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		return fmt.Errorf("deleting the Secret %s: %w", key.Name, err)
	}
	return nil
}
