package observe

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/monotonic"
)

// readSlot tells who has the right to run, and how many wait before this run.
func (r *Reader) readSlot(ctx context.Context, run *v1alpha1.BenchmarkRun) (state.Slot, error) {
	lease := &coordinationv1.Lease{}
	if err := r.Get(ctx, r.SlotKey(), lease); client.IgnoreNotFound(err) != nil {
		return state.Slot{}, fmt.Errorf("reading the Lease %s: %w", r.SlotKey(), err)
	}
	found := state.Slot{}
	if lease.Spec.HolderIdentity != nil {
		found.By = *lease.Spec.HolderIdentity
	}
	found.Held = found.By == names.Holder(run)
	runs := &v1alpha1.BenchmarkRunList{}
	if err := r.List(ctx, runs); err != nil {
		return state.Slot{}, fmt.Errorf("listing the runs: %w", err)
	}
	found.Free = !found.Held
	var before *v1alpha1.BenchmarkRun
	now := monotonic.Now()
	for i := range runs.Items {
		other := &runs.Items[i]
		if status.Ended(other) {
			continue
		}
		// One that had its turn goes on until we let it go, though its Lease may be gone.
		goesOn := status.IsTrue(other, v1alpha1.ConditionAccepted) && controllerutil.ContainsFinalizer(other, names.Finalizer)
		if names.Holder(other) == found.By || other.UID != run.UID && goesOn {
			found.Free = false
			if before == nil {
				before = other
			}
		}
		if other.UID != run.UID && r.Counts(other, now) && Earlier(other, run) {
			found.Ahead++
			if !status.Admitted(other) {
				found.Unadmitted++
			}
			if before == nil || !status.Waits(before) || Earlier(before, other) {
				before = other
			}
		}
	}
	found.Behind = behind(run, before)
	return found, nil
}

// behind names the run before, or only its namespace where that is another one. Somebody who may not list
// runs there has no need to know their names.
func behind(run, before *v1alpha1.BenchmarkRun) string {
	switch {
	case before == nil || before.UID == run.UID:
		return ""
	case before.Namespace == run.Namespace:
		return " behind run " + before.Name
	}
	return " behind a run of namespace " + before.Namespace
}

// Counts says that a run waits and comes before those that were created later.
func (r *Reader) Counts(run *v1alpha1.BenchmarkRun, now time.Time) bool {
	if !status.Waits(run) || status.Admitted(run) {
		return status.Waits(run)
	}
	first := r.FirstSeen(run)
	return first.IsZero() || now.Sub(first) < state.AdmitGrace
}

// Earlier says that a was created before b. Of two runs of the same second the name decides.
func Earlier(a, b *v1alpha1.BenchmarkRun) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
}
