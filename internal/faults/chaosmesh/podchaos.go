package chaosmesh

import (
	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// PodChaosDefinition is the name of the definition of the kind PodChaos.
const PodChaosDefinition = "podchaos.chaos-mesh.org"

func newPodChaos() client.Object { return &chaos.PodChaos{} }

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
	object := &chaos.PodChaos{ObjectMeta: injection.Meta}
	object.Spec.Action = action
	object.Spec.Mode = chaos.OneMode
	object.Spec.Selector.Pods = map[string][]string{injection.Meta.Namespace: {injection.Pod}}
	object.Spec.ContainerNames = containers
	return object
}

// podOf is the one pod that podChaos has selected, "" where the object selects otherwise.
func podOf(object *chaos.PodChaos) string {
	pods := object.Spec.Selector.Pods[object.Namespace]
	if len(pods) != 1 {
		return ""
	}
	return pods[0]
}
