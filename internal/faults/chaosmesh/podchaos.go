package chaosmesh

import (
	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

// +kubebuilder:rbac:groups=chaos-mesh.org,resources=podchaos,verbs=create;delete;get;list;patch;watch

var podChaosKind = Kind{
	Name: "PodChaos", Definition: "podchaos.chaos-mesh.org",
	New:     func() client.Object { return &chaos.PodChaos{} },
	NewList: func() client.ObjectList { return &chaos.PodChaosList{} },
	sides: func(object client.Object) faults.Sides {
		return faults.Sides{Targets: named(&object.(*chaos.PodChaos).Spec.PodSelector, object.GetNamespace())}
	},
}

// containerKill ends one container of each pod.
func containerKill(injection Injection) (client.Object, error) {
	return podChaos(injection, chaos.ContainerKillAction, []string{injection.Container}), nil
}

func podKill(injection Injection) (client.Object, error) {
	return podChaos(injection, chaos.PodKillAction, nil), nil
}

// podChaos sets no duration: its faults end with their injection.
func podChaos(injection Injection, action chaos.PodChaosAction, containers []string) *chaos.PodChaos {
	object := &chaos.PodChaos{ObjectMeta: injection.meta()}
	object.Spec.Action = action
	object.Spec.Mode = chaos.AllMode
	object.Spec.Selector.Pods = map[string][]string{injection.Meta.Namespace: injection.Sides.Targets}
	object.Spec.ContainerNames = containers
	return object
}
