package observe

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

// readFaults reads the run's fault objects, and notes them as left. Those of a kind whose definition isn't
// installed can't be listed.
func (r *Reader) readFaults(ctx context.Context, o *state.Observed, mine []client.ListOption) error {
	if len(o.Run.Spec.Faults) == 0 {
		return nil
	}
	found := map[string]faults.State{}
	for _, kind := range chaosmesh.Kinds() {
		list := kind.NewList()
		err := r.List(ctx, list, mine...)
		if meta.IsNoMatchError(err) {
			noteUnlisted(o, kind)
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

// noteUnlisted notes the faults whose objects are of a kind that can't be listed. A fault without targets has no
// object, and one that was healed has none any more.
func noteUnlisted(o *state.Observed, kind chaosmesh.Kind) {
	for i := range o.Run.Spec.Faults {
		spec := &o.Run.Spec.Faults[i]
		builder, _ := chaosmesh.BuilderOf(spec.Action)
		noted := status.FindFault(o.Run, spec.Name)
		if builder.Kind.Definition == kind.Definition && noted.State != v1alpha1.FaultHealed && len(status.SidesOf(noted).Targets) > 0 {
			if o.UnlistedFaults == nil {
				o.UnlistedFaults = map[string]bool{}
			}
			o.UnlistedFaults[spec.Name] = true
		}
	}
}

// faultPods are the pods at the sides of the run's faults, past the cache: it has only those with the run's label.
// Each identity is a pod's UID and address: Chaos Mesh's rules are in the network of that pod, for these addresses.
func (r *Reader) faultPods(ctx context.Context, run *v1alpha1.BenchmarkRun) (faults.Pods, error) {
	found := faults.Pods{}
	for i := range run.Status.Faults {
		for _, name := range status.SidesOf(&run.Status.Faults[i]).All() {
			if _, known := found[name]; known {
				continue
			}
			pod := &corev1.Pod{}
			err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, pod)
			switch {
			case err == nil:
				found[name] = faults.Identity(string(pod.UID), pod.Status.PodIP)
			case apierrors.IsNotFound(err):
				found[name] = ""
			default:
				return nil, fmt.Errorf("reading the pod %s of a fault: %w", name, err)
			}
		}
	}
	return found, nil
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
