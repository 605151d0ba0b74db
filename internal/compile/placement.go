package compile

import (
	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// compilePlacement is nil where the scheduler has all freedom.
func compilePlacement(spec *v1alpha1.PlacementSpec) *plan.Placement {
	if spec == nil || spec.Members == nil && spec.Workers == nil {
		return nil
	}
	placement := &plan.Placement{}
	if spec.Members != nil {
		placement.Members = podPlacement(spec.Members)
	}
	if spec.Workers != nil {
		placement.Workers, placement.ToMembers = podPlacement(&spec.Workers.PodPlacement), string(spec.Workers.ToMembers)
	}
	return placement
}

func podPlacement(spec *v1alpha1.PodPlacement) plan.PodPlacement {
	placement := plan.PodPlacement{Spread: string(spec.Spread)}
	if len(spec.NodeSelector) > 0 {
		placement.NodeSelector = map[string]string{}
	}
	for label, value := range spec.NodeSelector {
		placement.NodeSelector[label] = string(value)
	}
	for _, t := range spec.Tolerations {
		placement.Tolerations = append(placement.Tolerations, plan.Toleration{
			Key: t.Key, Operator: t.Operator, Value: t.Value, Effect: t.Effect,
		})
	}
	return placement
}
