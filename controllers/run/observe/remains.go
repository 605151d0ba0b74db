package observe

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

// remains are what stays of the run's faults in their pods, past the cache. What can't be read isn't known: a run
// must end all the same.
func (r *Reader) remains(ctx context.Context, run *v1alpha1.BenchmarkRun) map[string]map[string]faults.Remains {
	found := map[string]map[string]faults.Remains{}
	for i := range run.Spec.Faults {
		spec := &run.Spec.Faults[i]
		noted := status.FindFault(run, spec.Name)
		if action, _ := faults.Find(spec.Action); !action.LeavesRules || noted.State == v1alpha1.FaultHealed {
			continue
		}
		key := client.ObjectKey{Namespace: run.Namespace, Name: names.FaultName(names.RunID(run), spec.Name)}
		found[spec.Name] = map[string]faults.Remains{}
		for _, pod := range status.SidesOf(noted).All() {
			remains, err := chaosmesh.RemainsIn(ctx, r.Direct, key, pod)
			remains.Trouble = message.StableText(remains.Trouble)
			if err != nil {
				remains.Trouble = "Chaos Mesh's record of its rules can't be read: " + message.Stable(err)
			}
			found[spec.Name][pod] = remains
		}
	}
	return found
}

// leftRules are what ended faults have left in the pods that the run's endpoints name.
func (r *Reader) leftRules(ctx context.Context, run *v1alpha1.BenchmarkRun) *state.LeftRules {
	left := &state.LeftRules{Faults: map[string][]string{}}
	for _, pod := range status.PodsOfEndpoints(run) {
		found, err := chaosmesh.LeftIn(ctx, r.Direct, client.ObjectKey{Namespace: run.Namespace, Name: pod})
		if err != nil {
			left.Trouble = fmt.Sprintf("Chaos Mesh's record of the rules in the pod %s can't be read: %s", pod, message.Stable(err))
			return left
		}
		if len(found) > 0 {
			left.Faults[pod] = found
		}
	}
	return left
}
