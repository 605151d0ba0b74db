package faults

import (
	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/plan"
)

// containerKill ends the member's process with SIGKILL through the container runtime: a
// crash. The pod, its address and its volumes stay.
func containerKill() Action {
	return Action{
		Name: plan.ActionContainerKill,
		CRD:  podChaosCRD,
		New:  newPodChaos,
		Object: func(injection Injection) client.Object {
			return podChaos(injection, chaos.ContainerKillAction, []string{injection.Container})
		},
	}
}
