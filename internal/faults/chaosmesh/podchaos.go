package chaosmesh

import (
	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups=chaos-mesh.org,resources=podchaos,verbs=create;delete;get;list;patch;watch

var podChaosKind = Kind{
	Name: "PodChaos", Definition: "podchaos.chaos-mesh.org",
	New:     func() client.Object { return &chaos.PodChaos{} },
	NewList: func() client.ObjectList { return &chaos.PodChaosList{} },
	target: func(object client.Object) string {
		pods := object.(*chaos.PodChaos).Spec.Selector.Pods[object.GetNamespace()]
		if len(pods) != 1 {
			return ""
		}
		return pods[0]
	},
}

// containerKill ends one container of the pod.
func containerKill(injection Injection) client.Object {
	return podChaos(injection, chaos.ContainerKillAction, []string{injection.Container})
}

func podKill(injection Injection) client.Object {
	return podChaos(injection, chaos.PodKillAction, nil)
}

// podChaos selects the one pod by name. It sets no duration: Chaos Mesh counts that from
// the object's creation, and the caller deletes the object instead.
func podChaos(injection Injection, action chaos.PodChaosAction, containers []string) *chaos.PodChaos {
	object := &chaos.PodChaos{ObjectMeta: injection.meta()}
	object.Spec.Action = action
	object.Spec.Mode = chaos.OneMode
	object.Spec.Selector.Pods = map[string][]string{injection.Meta.Namespace: {injection.Pod}}
	object.Spec.ContainerNames = containers
	return object
}
