package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// tearDown removes what the run created: faults, Jobs, files and chart, observer, release, volumes, and
// when all of that is gone, the plan. That something is gone already is success. Where the
// store is retained, it stays, with its observer and the plan.
func (r *Reconciler) tearDown(ctx context.Context, o *observed) error {
	errs := append(r.endFaults(ctx, o), r.deleteJobs(ctx, o), r.deleteFiles(ctx, o.Run), r.deleteChart(ctx, o.Run))
	if !retains(o.Run) {
		errs = append(errs, r.deleteObserver(ctx, o), r.deleteStore(ctx, o), r.deleteCredentials(ctx, o))
	}
	err := errors.Join(errs...)
	o.Memory.TeardownTrouble = ""
	if err != nil {
		o.Memory.TeardownTrouble = stable(err)
	}
	setConditionAnew(o.Run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, reasonTearingDown, tearingMessage+because(o.Memory.TeardownTrouble))
	if err != nil || retains(o.Run) {
		return err
	}
	if o.Store.Release == releaseForbidden && len(o.Left) > 0 {
		o.Memory.TeardownTrouble = cut(fmt.Sprintf("service account %s may not remove the release %s: %s", serviceAccount(o.Run), runID(o.Run), o.Store.Refusal), 1024)
		setCondition(o.Run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, reasonTearingDown, o.Memory.TeardownTrouble)
	}
	if len(o.Left) == 0 && (o.Store.Release == releaseAbsent || o.Store.Release == releaseForbidden) {
		return r.deletePlan(ctx, o)
	}
	return nil
}

// tidy is tearDown for a run that has ended: its troubles are in the status, which stays, and
// it is tried again now and then.
func (r *Reconciler) tidy(ctx context.Context, o *observed) {
	noted := slices.Clone(o.Run.Status.Conditions)
	if err := r.tearDown(ctx, o); err != nil {
		log.FromContext(ctx).Info("what an ended run has left can't be removed yet", "error", err.Error())
	}
	o.Run.Status.Conditions = noted
}

// retains says whether the store is kept. Deleting the run removes it in any case.
func retains(run *v1alpha1.BenchmarkRun) bool {
	if !run.DeletionTimestamp.IsZero() {
		return false
	}
	switch run.Spec.Retain {
	case v1alpha1.RetainAlways:
		return true
	case v1alpha1.RetainOnFailure:
		return isTrue(run, conditionFailing)
	}
	return false
}

// endFaults removes the objects of all faults, by force where that takes too long.
func (r *Reconciler) endFaults(ctx context.Context, o *observed) (errs []error) {
	// In their order: the messages of a status must be the same each time.
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		state := o.Faults[name]
		switch {
		case state.Exists && !state.Deleting:
			errs = append(errs, r.deleteFault(ctx, o, name))
		case state.Exists && heldFor(o, state) > healDeadline:
			errs = append(errs, r.forceFault(ctx, o, name))
		}
	}
	return errs
}

func (r *Reconciler) deleteStore(ctx context.Context, o *observed) error {
	if o.Store.Release == releaseDeployed || o.Store.Release == releaseBroken {
		return r.uninstall(ctx, o)
	}
	return r.deleteVolumes(ctx, o)
}

func (r *Reconciler) deleteObserver(ctx context.Context, o *observed) error {
	observer := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: o.Run.Namespace, Name: plan.ObserverName(runID(o.Run))}
	// Past the cache, which may not show yet what has just been made.
	if err := r.Direct.Get(ctx, key, observer); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !madeFor(o.Run, observer) || !observer.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.Delete(ctx, observer, client.PropagationPolicy(metav1.DeletePropagationBackground)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the observer: %w", err)
	}
	return nil
}

func (r *Reconciler) deleteJobs(ctx context.Context, o *observed) error {
	for _, name := range slices.Sorted(maps.Keys(o.Jobs)) {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: o.Run.Namespace, Name: name}}
		if err := r.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting the Job %s: %w", name, err)
		}
	}
	return nil
}

// deleteVolumes deletes the members' claims, which Helm leaves, with the rights of the
// run's service account.
func (r *Reconciler) deleteVolumes(ctx context.Context, o *observed) error {
	claims := &corev1.PersistentVolumeClaimList{}
	if err := r.List(ctx, claims, labelledFor(o.Run)...); err != nil {
		return err
	}
	if len(claims.Items) == 0 {
		return nil
	}
	asAccount, err := r.accountOf(o.Run)
	if err != nil {
		return err
	}
	for i := range claims.Items {
		if claims.Items[i].DeletionTimestamp.IsZero() {
			if err := asAccount.Delete(ctx, &claims.Items[i]); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("deleting the volume claim %s: %w", claims.Items[i].Name, err)
			}
		}
	}
	return nil
}

// deletePlan removes the plan that was seen. What has its name by now is left alone.
func (r *Reconciler) deletePlan(ctx context.Context, o *observed) error {
	if !o.PlanExists {
		return nil
	}
	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: o.Run.Namespace, Name: planName(runID(o.Run))}}
	if err := r.Delete(ctx, held, client.Preconditions{UID: &o.PlanUID}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the plan: %w", err)
	}
	return nil
}
