package observe

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

// readFaults reads the run's fault objects, and notes them as left. A kind whose definition isn't installed
// has none.
func (r *Reader) readFaults(ctx context.Context, o *state.Observed, mine []client.ListOption) error {
	if len(o.Run.Spec.Faults) == 0 {
		return nil
	}
	found := map[string]faults.State{}
	for _, kind := range chaosmesh.Kinds() {
		list := kind.NewList()
		err := r.List(ctx, list, mine...)
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing the run's faults (%s): %w", kind.Name, err)
		}
		leave(o, kind.Name, list)
		maps.Copy(found, faultStates(o.Run, kind, list))
	}
	for name, fault := range found {
		if fault.Deleting {
			fault.DeletingSince = o.Memory.Deleting(name, fault.UID, o.Now)
		}
		fault.RefusedSince = o.Memory.Fault(name, fault.UID).RefusedSince
		o.Faults[name] = fault
	}
	return nil
}

// faultStates are those of the run's faults that have an object in the list of a kind, by the faults' names.
func faultStates(run *v1alpha1.BenchmarkRun, kind chaosmesh.Kind, list client.ObjectList) map[string]faults.State {
	byObject := kind.StatesIn(list, func(object client.Object) bool { return names.MadeFor(run, object) })
	states := map[string]faults.State{}
	for _, fault := range run.Spec.Faults {
		if found, is := byObject[names.FaultName(names.RunID(run), fault.Name)]; is {
			states[fault.Name] = found
		}
	}
	return states
}
