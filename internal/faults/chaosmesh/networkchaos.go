package chaosmesh

import (
	"fmt"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

// +kubebuilder:rbac:groups=chaos-mesh.org,resources=networkchaos,verbs=create;delete;get;list;patch;watch

var networkChaosKind = Kind{
	Name: "NetworkChaos", Definition: "networkchaos.chaos-mesh.org",
	New:     func() client.Object { return &chaos.NetworkChaos{} },
	NewList: func() client.ObjectList { return &chaos.NetworkChaosList{} },
	sides: func(object client.Object) faults.Sides {
		spec, namespace := &object.(*chaos.NetworkChaos).Spec, object.GetNamespace()
		sides := faults.Sides{Targets: named(&spec.PodSelector, namespace)}
		if spec.Target != nil {
			sides.Peers = named(spec.Target, namespace)
		}
		return sides
	},
}

// backstop is how long after its time a fault goes on at most, should no controller be there to heal it.
const backstop = time.Minute

var directions = map[string]chaos.Direction{
	faults.DirectionBoth: chaos.Both, faults.DirectionTo: chaos.To, faults.DirectionFrom: chaos.From,
}

// partition drops what the two sides send each other. It names the peers: without them Chaos Mesh drops the
// kubelet's probes as well, and the pods are restarted.
func partition(injection Injection) (client.Object, error) {
	parameters, err := faults.PartitionParametersOf(injection.Parameters)
	if err != nil {
		return nil, err
	}
	sides, namespace := injection.Sides, injection.Meta.Namespace
	if len(sides.Targets) == 0 || len(sides.Peers) == 0 {
		return nil, fmt.Errorf("a partition has members on both sides, and these are %q", sides)
	}
	object := &chaos.NetworkChaos{ObjectMeta: injection.meta()}
	object.Spec.Action = chaos.PartitionAction
	object.Spec.Direction = directions[parameters.Direction]
	object.Spec.Mode = chaos.AllMode
	object.Spec.Selector.Pods = map[string][]string{namespace: sides.Targets}
	object.Spec.Target = &chaos.PodSelector{Mode: chaos.AllMode}
	object.Spec.Target.Selector.Pods = map[string][]string{namespace: sides.Peers}
	object.Spec.Duration = ptr.To((injection.Lasts + backstop).String())
	return object, nil
}
