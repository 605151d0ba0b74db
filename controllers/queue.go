package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/monotonic"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// slotLease is the Lease whose holder may run. It is never renewed: it ends with its run.
const slotLease = "kvbench-run-slot"

func (r *Reconciler) slotKey() client.ObjectKey {
	return client.ObjectKey{Namespace: r.Config.Namespace, Name: slotLease}
}

func holder(run *v1alpha1.BenchmarkRun) string {
	return strings.Join([]string{run.Namespace, run.Name, string(run.UID)}, "/")
}

// readSlot tells who has the right to run, and how many wait before this run.
func (r *Reconciler) readSlot(ctx context.Context, run *v1alpha1.BenchmarkRun) (slotState, error) {
	lease := &coordinationv1.Lease{}
	if err := r.Get(ctx, r.slotKey(), lease); client.IgnoreNotFound(err) != nil {
		return slotState{}, fmt.Errorf("reading the Lease %s: %w", r.slotKey(), err)
	}
	state := slotState{}
	if lease.Spec.HolderIdentity != nil {
		state.By = *lease.Spec.HolderIdentity
	}
	state.Held = state.By == holder(run)
	runs := &v1alpha1.BenchmarkRunList{}
	if err := r.List(ctx, runs); err != nil {
		return slotState{}, fmt.Errorf("listing the runs: %w", err)
	}
	state.Free = !state.Held
	var before *v1alpha1.BenchmarkRun
	now := monotonic.Now()
	for i := range runs.Items {
		other := &runs.Items[i]
		if ended(other) {
			continue
		}
		// One that had its turn goes on until we let it go, though its Lease may be gone.
		goesOn := isTrue(other, v1alpha1.ConditionAccepted) && controllerutil.ContainsFinalizer(other, finalizer)
		if holder(other) == state.By || other.UID != run.UID && goesOn {
			state.Free = false
			if before == nil {
				before = other
			}
		}
		if other.UID != run.UID && r.counts(other, now) && earlier(other, run) {
			state.Ahead++
			if !admitted(other) {
				state.Unadmitted++
			}
			if before == nil || !waits(before) || earlier(before, other) {
				before = other
			}
		}
	}
	state.Behind = behind(run, before)
	return state, nil
}

// behind names the run before. Of another namespace's it names the namespace alone: who may not list
// runs there has no need to know what they are called.
func behind(run, before *v1alpha1.BenchmarkRun) string {
	switch {
	case before == nil || before.UID == run.UID:
		return ""
	case before.Namespace == run.Namespace:
		return " behind run " + before.Name
	}
	return " behind a run of namespace " + before.Namespace
}

func ended(run *v1alpha1.BenchmarkRun) bool {
	return isTrue(run, v1alpha1.ConditionComplete) || isTrue(run, v1alpha1.ConditionFailed)
}

// waits says that a run has not had its turn: it waits for it, or for being admitted. An
// earlier run that nobody has looked at yet comes first all the same.
func waits(run *v1alpha1.BenchmarkRun) bool {
	return run.DeletionTimestamp.IsZero() && !isTrue(run, v1alpha1.ConditionAccepted) && !ended(run)
}

// admitGrace is how long a run that hasn't been admitted keeps later ones waiting, from when
// this controller first saw it: its creation is stamped with another clock. One that can't be, since its namespace has no room for the plan, say, must not stop all others.
const admitGrace = time.Minute

// counts says that a run waits and comes before those that were created later.
func (r *Reconciler) counts(run *v1alpha1.BenchmarkRun, now time.Time) bool {
	if !waits(run) || admitted(run) {
		return waits(run)
	}
	first := r.memories.firstSeen(run)
	return first.IsZero() || now.Sub(first) < admitGrace
}

func admitted(run *v1alpha1.BenchmarkRun) bool { return run.Status.PlanSHA256 != "" }

func earlier(a, b *v1alpha1.BenchmarkRun) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
}

// takeSlot takes the Lease. Two runs can't both get it: it is created once, and updated
// against the version that was read.
func (r *Reconciler) takeSlot(ctx context.Context, o *observed) (time.Duration, error) {
	name, now := holder(o.Run), metav1.NewMicroTime(monotonic.Now())
	lease := &coordinationv1.Lease{}
	err := r.Direct.Get(ctx, r.slotKey(), lease)
	switch {
	case apierrors.IsNotFound(err):
		lease.Name, lease.Namespace = r.slotKey().Name, r.slotKey().Namespace
		lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: &name, AcquireTime: &now}
		err = r.Create(ctx, lease)
	case err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != o.Slot.By:
		return time.Second, nil // it changed hands since we looked
	case err == nil:
		lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: &name, AcquireTime: &now}
		err = r.Update(ctx, lease)
	}
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return time.Second, nil
	case err != nil:
		return 0, fmt.Errorf("taking the Lease %s: %w", r.slotKey(), err)
	}
	return 0, r.accept(ctx, o)
}

// accept says that it is the run's turn, once the results server has a place for it. That may be
// another run's: so not before.
func (r *Reconciler) accept(ctx context.Context, o *observed) error {
	if err := r.Results.Register(ctx, string(o.Run.UID), []byte(o.PlanText)); err != nil {
		if !results.Transient(err) {
			failing(o, fail("ResultsRefused", "the results server refused the run: %v", err))
			return nil
		}
		return notRegistered(o, fmt.Errorf("registering the run: %w", err))
	}
	now := stamp()
	o.Run.Status.StartTime = &now
	for i := range o.Run.Spec.Workloads {
		ensureWorkload(o.Run, o.Run.Spec.Workloads[i].Name)
	}
	setCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Admitted", "it is this run's turn")
	return nil
}

// giveSlot gives the Lease back when this run holds it.
func (r *Reconciler) giveSlot(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	lease := &coordinationv1.Lease{}
	if err := r.Direct.Get(ctx, r.slotKey(), lease); err != nil {
		return client.IgnoreNotFound(err)
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != holder(run) {
		return nil
	}
	lease.Spec = coordinationv1.LeaseSpec{}
	if err := r.Update(ctx, lease); err != nil {
		return fmt.Errorf("giving the Lease %s back: %w", r.slotKey(), err)
	}
	return nil
}
