package controllers

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// A run's credentials are in a Secret of its namespace, made with the rights of the run's
// service account, which may write Secrets for Helm: the controller itself may read none there.

// makeCredentials makes the Secret, once, before whoever mounts it. made is false when the run
// fails over it.
func (r *Reconciler) makeCredentials(ctx context.Context, o *observed) (made bool, err error) {
	if o.Plan.Store.Secret == "" {
		return true, nil
	}
	if onEndpoints(o.Run) {
		return r.recheckCredentials(ctx, o)
	}
	secret, err := secretObject(o.Run, o.Plan, o.Now)
	if err != nil {
		return false, err
	}
	asAccount, err := r.accountOf(o.Run)
	if err != nil {
		return false, err
	}
	err = asAccount.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		// Of an earlier pass, whose password the members may have by now; or somebody else's.
		existing := &corev1.Secret{}
		err = asAccount.Get(ctx, client.ObjectKeyFromObject(secret), existing)
		if err == nil && !madeFor(o.Run, existing) {
			failing(o, fail(reasonNameTaken, "the Secret %s exists and isn't this run's: delete it, and create the run again", secret.Name))
			return false, nil
		}
	}
	switch {
	case err == nil:
		return true, nil
	case refused(err):
		failing(o, fail("DeployRefused", "the API server refused the Secret %s for spec.store.security, which is made with the rights of service account %s: %v", secret.Name, serviceAccount(o.Run), err))
		return false, nil
	}
	installFailed(o, "the Secret for spec.store.security could not be made yet: "+stable(err))
	return false, fmt.Errorf("making the Secret %s: %w", secret.Name, err)
}

// secretObject has new credentials each time.
func secretObject(run *v1alpha1.BenchmarkRun, p *plan.Plan, now time.Time) (*corev1.Secret, error) {
	entry, ok := catalog.Find(p.Store.Driver)
	if !ok {
		return nil, fmt.Errorf("making credentials: the plan's store %s is not in the catalog", p.Store.Driver)
	}
	files, err := credentials.Make(p.Store.Security, entry.Security.User, hostsOf(p), now)
	if err != nil {
		return nil, err
	}
	secret := &corev1.Secret{ObjectMeta: objectMeta(run, p.Store.Secret, roleSecret), Immutable: ptr.To(true), Data: files}
	// The service account may not update the run's finalizers, which blocking would ask for.
	secret.OwnerReferences[0].BlockOwnerDeletion = ptr.To(false)
	return secret, nil
}

// hostsOf are the names that clients and members call the members by.
func hostsOf(p *plan.Plan) []string {
	hosts := []string{
		fmt.Sprintf("%s.%s.svc", p.Run.ID, p.Run.Namespace), // the Service
	}
	for _, member := range p.Store.Members {
		if host, _, err := net.SplitHostPort(member.Address); err == nil {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// deleteCredentials removes the Secret of a store that is being removed. One that the service
// account may not remove any more goes with the run, which owns it.
func (r *Reconciler) deleteCredentials(ctx context.Context, o *observed) error {
	if level := o.Run.Spec.Store.Security; level == "" || level == v1alpha1.SecurityNone || onEndpoints(o.Run) {
		return nil
	}
	asAccount, err := r.accountOf(o.Run)
	if err != nil {
		return err
	}
	held := &corev1.Secret{}
	key := client.ObjectKey{Namespace: o.Run.Namespace, Name: compile.SecretName(runID(o.Run))}
	err = asAccount.Get(ctx, key, held)
	if err == nil && madeFor(o.Run, held) {
		err = asAccount.Delete(ctx, held, client.Preconditions{UID: &held.UID})
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		return fmt.Errorf("deleting the Secret %s: %w", key.Name, err)
	}
	return nil
}

// credentialsFolder is where a pod of the run has what the store asks for.
const credentialsFolder = "/etc/kvbench-credentials"

// giveCredentials mounts the clients' part of the Secret: no pod has more of it than it needs.
func giveCredentials(pod *corev1.PodSpec, p *plan.Plan) {
	if p.Store.Secret == "" {
		return
	}
	var items []corev1.KeyToPath
	for _, file := range stores.CredentialFiles(p.Store.Security) {
		items = append(items, corev1.KeyToPath{Key: keyOf(p, file), Path: file})
	}
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "credentials", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{
			SecretName: p.Store.Secret, Items: items, DefaultMode: ptr.To[int32](0o440),
			// Endpoints may ask for less. What is missing the pod says, if it is needed.
			Optional: ptr.To(p.Store.Existing),
		}}})
	container := &pod.Containers[0]
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: "credentials", MountPath: credentialsFolder, ReadOnly: true})
}
