package observe

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/monotonic"
)

// Observe reads what decide needs. It changes nothing: the memory of what was seen before comes back
// in the result, with what is seen now.
func (r *Reader) Observe(ctx context.Context, run *v1alpha1.BenchmarkRun, memory state.Memory) (*state.Observed, error) {
	o := &state.Observed{Run: run, Memory: memory.Clone(), Now: monotonic.Now(), Began: monotonic.Began(), Jobs: map[string]state.Job{}, Faults: map[string]faults.State{}}
	if status.Finished(run) {
		return o, nil
	}
	if !run.DeletionTimestamp.IsZero() {
		o.Memory.DeletedSince = state.FirstTime(memory.DeletedSince, o.Now)
	}
	var err error
	if err = r.ReadPlan(ctx, o); err != nil {
		return o, err
	}
	if o.FilesLost, err = r.filesLost(ctx, o); err != nil {
		return o, err
	}
	if o.NamespaceGoing, err = r.namespaceGoing(ctx, run.Namespace); err != nil {
		return o, err
	}
	if o.Slot, err = r.readSlot(ctx, run); err != nil {
		return o, err
	}
	if !status.IsTrue(run, v1alpha1.ConditionAccepted) && run.DeletionTimestamp.IsZero() && !status.IsTrue(run, status.ConditionFailing) {
		return o, nil // nothing is deployed before it is our turn
	}
	if status.Measured(run) && !status.IsTrue(run, v1alpha1.ConditionReported) && run.DeletionTimestamp.IsZero() {
		// Without it the run waits, in decide.
		o.ServerNow, _, _ = r.Clock.Now(r.Results)
		o.ClockMoved = r.Clock.Stepped()
	}
	if err := r.readChildren(ctx, o); err != nil {
		return o, err
	}
	return o, r.readRelease(ctx, o)
}

func (r *Reader) namespaceGoing(ctx context.Context, name string) (bool, error) {
	namespace := &corev1.Namespace{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, namespace); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	return !namespace.DeletionTimestamp.IsZero(), nil
}
