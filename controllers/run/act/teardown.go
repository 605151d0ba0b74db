package act

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
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

// tearDown removes what the run created: faults, Jobs, files and chart, observer, release, volumes, and
// when all of that is gone, the plan. That something is gone already is success. Where the
// store is retained, it stays, with its observer and the plan.
func (r *Actor) tearDown(ctx context.Context, o *state.Observed) error {
	errs := append(r.endFaults(ctx, o), r.deleteJobs(ctx, o), r.checker().DeleteFiles(ctx, o.Run), r.checker().DeleteChart(ctx, o.Run))
	if !status.Retains(o.Run) {
		errs = append(errs, r.deleteObserver(ctx, o), r.deleteStore(ctx, o), r.deleteCredentials(ctx, o))
	}
	err := errors.Join(errs...)
	o.Memory.TeardownTrouble = ""
	if err != nil {
		o.Memory.TeardownTrouble = message.Stable(err)
	}
	status.SetConditionAnew(o.Run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, status.ReasonTearingDown, status.TearingMessage+message.Because(o.Memory.TeardownTrouble))
	if err != nil || status.Retains(o.Run) {
		return err
	}
	if o.Store.Release == state.ReleaseForbidden && len(o.Left) > 0 {
		o.Memory.TeardownTrouble = message.Cut(fmt.Sprintf("service account %s may not remove the release %s: %s", names.ServiceAccount(o.Run), names.RunID(o.Run), o.Store.Refusal), 1024)
		status.SetCondition(o.Run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, status.ReasonTearingDown, o.Memory.TeardownTrouble)
	}
	if len(o.Left) == 0 && (o.Store.Release == state.ReleaseAbsent || o.Store.Release == state.ReleaseForbidden) {
		return r.deletePlan(ctx, o)
	}
	return nil
}

// tidy is tearDown for a run that has ended: its troubles are in the status, which stays, and
// it is tried again now and then.
func (r *Actor) tidy(ctx context.Context, o *state.Observed) {
	noted := slices.Clone(o.Run.Status.Conditions)
	if err := r.tearDown(ctx, o); err != nil {
		log.FromContext(ctx).Info("what an ended run has left can't be removed yet", "error", err.Error())
	}
	o.Run.Status.Conditions = noted
}

// endFaults removes the objects of all faults, by force where that takes too long and is safe. Where nothing helps, it
// says so.
func (r *Actor) endFaults(ctx context.Context, o *state.Observed) (errs []error) {
	// In their order: the messages of a status must be the same each time.
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		if !o.Faults[name].Exists {
			continue
		}
		switch decide.Removal(o, name).Verb {
		case decide.DoHealFault:
			errs = append(errs, r.deleteFault(ctx, o, name))
		case decide.DoForceFault:
			errs = append(errs, r.forceFault(ctx, o, name))
		}
	}
	for _, why := range decide.Unhealed(o) {
		errs = append(errs, errors.New(why))
	}
	return errs
}

func (r *Actor) deleteStore(ctx context.Context, o *state.Observed) error {
	if o.Store.Release == state.ReleaseDeployed || o.Store.Release == state.ReleaseBroken {
		return r.uninstall(ctx, o)
	}
	return r.deleteVolumes(ctx, o)
}

func (r *Actor) deleteObserver(ctx context.Context, o *state.Observed) error {
	observer := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: o.Run.Namespace, Name: plan.ObserverName(names.RunID(o.Run))}
	// Past the cache, which may not show yet what has just been made.
	if err := r.Direct.Get(ctx, key, observer); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !names.MadeFor(o.Run, observer) || !observer.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.Delete(ctx, observer, client.PropagationPolicy(metav1.DeletePropagationBackground)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the observer: %w", err)
	}
	return nil
}

func (r *Actor) deleteJobs(ctx context.Context, o *state.Observed) error {
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
func (r *Actor) deleteVolumes(ctx context.Context, o *state.Observed) error {
	claims := &corev1.PersistentVolumeClaimList{}
	if err := r.List(ctx, claims, clients.OfRun(o.Run)...); err != nil {
		return err
	}
	if len(claims.Items) == 0 {
		return nil
	}
	asAccount, err := r.AccountOf(o.Run)
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
func (r *Actor) deletePlan(ctx context.Context, o *state.Observed) error {
	if !o.PlanExists {
		return nil
	}
	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: o.Run.Namespace, Name: names.PlanName(names.RunID(o.Run))}}
	if err := r.Delete(ctx, held, client.Preconditions{UID: &o.PlanUID}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the plan: %w", err)
	}
	return nil
}
