package observe

import (
	"context"
	"fmt"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

// readFaults reads the run's fault objects; where Chaos Mesh isn't installed there are none.
func (r *Reader) readFaults(ctx context.Context, o *state.Observed, mine []client.ListOption) (*chaos.PodChaosList, error) {
	kills := &chaos.PodChaosList{}
	if len(o.Run.Spec.Faults) == 0 {
		return kills, nil
	}
	if err := r.List(ctx, kills, mine...); err != nil {
		if meta.IsNoMatchError(err) {
			return kills, nil
		}
		return nil, fmt.Errorf("listing the run's faults: %w", err)
	}
	for name, found := range faultStates(o.Run, kills) {
		if found.Deleting {
			found.DeletingSince = o.Memory.Deleting(name, found.UID, o.Now)
		}
		found.RefusedSince = o.Memory.Fault(name, found.UID).RefusedSince
		o.Faults[name] = found
	}
	return kills, nil
}

// faultStates are those of the run's faults that have an object, by the faults' names.
func faultStates(run *v1alpha1.BenchmarkRun, kills *chaos.PodChaosList) map[string]faults.State {
	states := map[string]faults.State{}
	for i := range kills.Items {
		if !names.MadeFor(run, &kills.Items[i]) {
			continue
		}
		for _, fault := range run.Spec.Faults {
			if kills.Items[i].Name == names.FaultName(names.RunID(run), fault.Name) {
				states[fault.Name] = chaosmesh.StateOf(&kills.Items[i])
			}
		}
	}
	return states
}
