package act

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

// createFault makes the fault's object, unless it exists and the cache doesn't show it yet.
func (r *Actor) createFault(ctx context.Context, run *v1alpha1.BenchmarkRun, builder chaosmesh.Builder, object client.Object) error {
	err := r.Create(ctx, object)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	existing := builder.Kind.New()
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(object), existing); err != nil {
		return err
	}
	if !names.MadeFor(run, existing) {
		return fmt.Errorf("the object %s exists and isn't this run's: delete it", object.GetName())
	}
	return nil
}

// madeAlready looks past the cache for a fault's object: its target was chosen, and stays.
func (r *Actor) madeAlready(ctx context.Context, run *v1alpha1.BenchmarkRun, builder chaosmesh.Builder, fault string) (bool, error) {
	object := builder.Kind.New()
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: names.FaultName(names.RunID(run), fault)}, object)
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return names.MadeFor(run, object), nil
}

// deleteFault deletes the fault's object, which heals it, and notes where that is refused.
func (r *Actor) deleteFault(ctx context.Context, o *state.Observed, name string) error {
	for _, kind := range chaosmesh.Kinds() {
		object := kind.New()
		object.SetNamespace(o.Run.Namespace)
		object.SetName(names.FaultName(names.RunID(o.Run), name))
		if err := r.Delete(ctx, object); client.IgnoreNotFound(err) != nil && !meta.IsNoMatchError(err) {
			o.Memory.Refused(name, o.Faults[name].UID, o.Now)
			return fmt.Errorf("healing fault %s: %w", name, err)
		}
	}
	return nil
}

// forceFault removes an object that Chaos Mesh holds on to: it is asked to skip its own
// cleaning, and where it is gone itself, its finalizers are taken away. That is only for a
// fault of which nothing stays behind then.
func (r *Actor) forceFault(ctx context.Context, o *state.Observed, name string) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"chaos-mesh.chaos-mesh.org/cleanFinalizer":"forced"},"finalizers":null}}`))
	for _, kind := range chaosmesh.Kinds() {
		object := kind.New()
		object.SetNamespace(o.Run.Namespace)
		object.SetName(names.FaultName(names.RunID(o.Run), name))
		if err := r.Patch(ctx, object, patch); client.IgnoreNotFound(err) != nil && !meta.IsNoMatchError(err) {
			return fmt.Errorf("removing the object of fault %s by force: %w", name, err)
		}
	}
	return nil
}
