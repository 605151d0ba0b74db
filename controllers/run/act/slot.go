package act

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/monotonic"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// takeSlot takes the Lease. Two runs can't both get it: it is created once, and updated
// against the version that was read.
func (r *Actor) takeSlot(ctx context.Context, o *state.Observed) (time.Duration, error) {
	name, now := names.Holder(o.Run), metav1.NewMicroTime(monotonic.Now())
	lease := &coordinationv1.Lease{}
	err := r.Direct.Get(ctx, r.SlotKey(), lease)
	switch {
	case apierrors.IsNotFound(err):
		lease.Name, lease.Namespace = r.SlotKey().Name, r.SlotKey().Namespace
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
		return 0, fmt.Errorf("taking the Lease %s: %w", r.SlotKey(), err)
	}
	return 0, r.accept(ctx, o)
}

// accept says that it is the run's turn, once the results server has a place for it. That may be
// another run's: so not before.
func (r *Actor) accept(ctx context.Context, o *state.Observed) error {
	if err := r.Results.Register(ctx, string(o.Run.UID), []byte(o.PlanText)); err != nil {
		if !results.Transient(err) {
			failing(o, decide.Fail("ResultsRefused", "the results server refused the run: %v", err))
			return nil
		}
		return notRegistered(o, fmt.Errorf("registering the run: %w", err))
	}
	now := conditions.Stamp()
	o.Run.Status.StartTime = &now
	for i := range o.Run.Spec.Workloads {
		status.EnsureWorkload(o.Run, o.Run.Spec.Workloads[i].Name)
	}
	status.SetCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Admitted", "it is this run's turn")
	return nil
}

// giveSlot gives the Lease back when this run holds it.
func (r *Actor) giveSlot(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	lease := &coordinationv1.Lease{}
	if err := r.Direct.Get(ctx, r.SlotKey(), lease); err != nil {
		return client.IgnoreNotFound(err)
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != names.Holder(run) {
		return nil
	}
	lease.Spec = coordinationv1.LeaseSpec{}
	if err := r.Update(ctx, lease); err != nil {
		return fmt.Errorf("giving the Lease %s back: %w", r.SlotKey(), err)
	}
	return nil
}
