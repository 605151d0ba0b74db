package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

// checkCurrent looks past the cache whether the run is as it was read: a run that was refused a
// moment ago would be admitted once more, and keep what that makes if we are killed in it. The
// later steps' writes tell by the names that they were done before.
func (r *Reconciler) checkCurrent(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	current := &metav1.PartialObjectMetadata{}
	current.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(run), current); err != nil {
		return err
	}
	if current.ResourceVersion != run.ResourceVersion {
		return apierrors.NewConflict(v1alpha1.GroupVersion.WithResource("benchmarkruns").GroupResource(), run.Name,
			errors.New("it was read before a write arrived in the cache"))
	}
	return nil
}

// newsDeadline bounds the wait for a watch to tell what is so.
const newsDeadline = time.Minute

// lateFault looks past the cache for a fault that was injected, where watches don't tell so yet: they
// may be behind what they tell of the workers. A run that fails says of the faults that it had begun
// whether they were injected. Of one that is waited for too long, seen has what was found.
func (r *Reconciler) lateFault(ctx context.Context, seen *observed) (name string, err error) {
	intended := func(f v1alpha1.FaultStatus) bool { return f.State == v1alpha1.FaultIntended }
	if !slices.ContainsFunc(seen.Run.Status.Faults, intended) {
		return "", nil
	}
	current := &chaos.PodChaosList{}
	err = r.Direct.List(ctx, current, labelledFor(seen.Run)...)
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err) || apierrors.IsForbidden(err):
		return "", nil // nobody will tell, and the run must end all the same
	case err != nil:
		return "", fmt.Errorf("listing the run's faults past the cache: %w", err)
	}
	for name, state := range faultStates(seen.Run, current) {
		switch {
		case !state.Injected || seen.Faults[name].Injected:
		case seen.Now.Sub(seen.Memory.unseen(name, state.UID, seen.Now)) < newsDeadline:
			return name, nil
		default:
			seen.Faults[name] = state
		}
	}
	return "", nil
}

// madeAlready looks past the cache for a fault's object: its target was chosen, and stays.
func (r *Reconciler) madeAlready(ctx context.Context, run *v1alpha1.BenchmarkRun, builder chaosmesh.Builder, fault string) (bool, error) {
	object := builder.New()
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: faultName(runID(run), fault)}, object)
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return madeFor(run, object), nil
}
