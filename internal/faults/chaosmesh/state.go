package chaosmesh

import (
	"slices"
	"strings"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

// StateOf reads the state of an object of the kind.
func (k Kind) StateOf(object client.Object) faults.State {
	sides := k.sides(object)
	state := faults.State{Exists: true, UID: string(object.GetUID()), Sides: sides, Pods: podsOf(object, sides)}
	asked := askedOf(object)
	state.AskedAfter, state.ClockBound = asked.After, asked.Bound
	if at := object.GetDeletionTimestamp(); !at.IsZero() {
		state.Deleting, state.DeletingSince = true, at.Time
	}
	inner, ok := object.(chaos.StatefulObject)
	if !ok {
		return state
	}
	status := inner.GetStatus()
	selected := true
	state.Injected = allInjected(status.Experiment.Records)
	for _, condition := range status.Conditions {
		switch condition.Type {
		case chaos.ConditionAllInjected:
			state.Injected = state.Injected || condition.Status == "True"
		case chaos.ConditionSelected:
			selected = condition.Status == "True"
		}
	}
	if !state.Injected {
		state.Message = lastFailure(status, selected)
	}
	return state
}

// allInjected says whether all that was selected is injected. Chaos Mesh writes the records first, and the
// condition that sums them up in another pass.
func allInjected(records []*chaos.Record) bool {
	return len(records) > 0 && !slices.ContainsFunc(records, func(r *chaos.Record) bool { return r == nil || r.Phase != chaos.Injected })
}

func lastFailure(status *chaos.ChaosStatus, selected bool) string {
	var messages []string
	for _, record := range status.Experiment.Records {
		if record == nil {
			continue
		}
		for i := len(record.Events) - 1; i >= 0; i-- {
			if event := record.Events[i]; event.Type == chaos.TypeFailed && event.Message != "" {
				messages = append(messages, event.Message)
				break
			}
		}
	}
	if len(messages) == 0 {
		if len(status.Conditions) == 0 {
			return "Chaos Mesh has not taken up the object: is its controller running?"
		}
		if !selected {
			return "Chaos Mesh found no pod to select"
		}
		return "Chaos Mesh has not reported the injection, nor a failure: is its daemon running on the member's node?"
	}
	return strings.Join(messages, "; ")
}
