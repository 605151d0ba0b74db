package faults

import (
	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/plan"
)

// podKill deletes the member's pod without grace: the member comes back as a new pod,
// with another address, and with its data only if that is on a volume.
func podKill() Action {
	return Action{
		Name:        plan.ActionPodKill,
		CRD:         podChaosCRD,
		ReplacesPod: true,
		New:         newPodChaos,
		Object: func(injection Injection) client.Object {
			return podChaos(injection, chaos.PodKillAction, nil)
		},
	}
}
