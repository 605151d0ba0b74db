package act

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// finish gives the right to run back and sets the end: Complete, or Failed with the
// reason that was noted when it happened.
func (r *Actor) finish(ctx context.Context, o *state.Observed, d decide.Decision) error {
	if err := r.giveSlot(ctx, o.Run); err != nil {
		return err
	}
	now := conditions.Stamp()
	o.Run.Status.CompletionTime = &now
	if d.Condition == v1alpha1.ConditionComplete {
		status.SetCondition(o.Run, v1alpha1.ConditionComplete, metav1.ConditionTrue, "Finished", completeMessage(o.Run))
		return nil
	}
	r.withdraw(ctx, o.Run)
	reason, message := "Failed", "the run failed"
	if noted := meta.FindStatusCondition(o.Run.Status.Conditions, status.ConditionFailing); noted != nil {
		reason, message = noted.Reason, noted.Message
	}
	status.SetCondition(o.Run, v1alpha1.ConditionFailed, metav1.ConditionTrue, reason, message)
	return nil
}

// completeMessage speaks of the spec alone, so that it is the same on each pass.
func completeMessage(run *v1alpha1.BenchmarkRun) string {
	return fmt.Sprintf("workloads measured: %d, faults injected: %d; the report is stored", len(run.Spec.Workloads), len(run.Spec.Faults))
}

// letGo removes the finalizer: the deleted run may go.
func (r *Actor) letGo(ctx context.Context, o *state.Observed) error {
	if err := r.giveSlot(ctx, o.Run); err != nil {
		return err
	}
	r.withdraw(ctx, o.Run)
	if err := r.PatchFinalizer(ctx, o.Run, controllerutil.RemoveFinalizer); err != nil {
		return err
	}
	r.tellLetGo(o)
	return nil
}

// withdrawPatience is for how long a run that is deleted waits for the results server, and others
// with it.
const withdrawPatience = 500 * time.Millisecond

// withdraw tells the results server of a run that ends before it was begun: its place is another
// one's. Where it can't be told, it forgets the run by itself, later.
func (r *Actor) withdraw(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	if !status.ToReport(run) {
		return
	}
	soon, cancel := context.WithTimeout(ctx, withdrawPatience)
	defer cancel()
	if err := r.Results.Withdraw(soon, string(run.UID)); err != nil {
		log.FromContext(ctx).Info("the results server wasn't told that the run was deleted, and keeps its place", "trouble", err.Error())
	}
}

// tellLetGo ends the story of a run that was deleted before its end; there is no status any
// more that could tell it.
func (r *Actor) tellLetGo(o *state.Observed) {
	left := decide.StillThere(o)
	switch {
	case o.NamespaceGoing:
	case len(left) > 0:
		r.Recorder.Eventf(o.Run, nil, corev1.EventTypeWarning, "LeftBehind", "TearDown", "%s",
			message.Cut(fmt.Sprintf("the run was let go after its deadline for the teardown; still there: %s", message.List(left, 8)), status.MaxNote))
	case !status.Ended(o.Run) && meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionCleanedUp) != nil:
		r.Recorder.Eventf(o.Run, nil, corev1.EventTypeNormal, status.ReasonAllGone, "TearDown", "%s", status.AllGoneMessage)
	}
}

// PatchFinalizer changes the finalizers alone: an update would also write the spec as this
// version of its type reads it, which is a change of the spec. The lock keeps the
// finalizers of others.
func (r *Actor) PatchFinalizer(ctx context.Context, run *v1alpha1.BenchmarkRun, change func(client.Object, string) bool) error {
	patch := client.MergeFromWithOptions(run.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if !change(run, names.Finalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Patch(ctx, run, patch))
}
