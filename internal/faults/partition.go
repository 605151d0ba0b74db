package faults

import (
	"encoding/json"
	"fmt"
)

// partition cuts its target off from all other members of the store. Clients, the observer and the kubelet reach all
// of them throughout. It shows in who leads, in whom the others take for healthy, or in operations. Its rules are in
// the network namespaces of the pods of both sides until it is healed.
var partition = Action{Name: "Partition", Lasts: true, HasPeers: true, LeavesRules: true, CheckParameters: checkPartition}

// Directions of a partition, as seen from its target.
const (
	DirectionBoth = "Both" // neither side hears the other
	DirectionTo   = "To"   // the others don't hear the target
	DirectionFrom = "From" // the target doesn't hear the others
)

// PartitionParameters are what a partition takes.
type PartitionParameters struct {
	// Direction is one of the above.
	Direction string `json:"direction,omitempty"`
}

// PartitionParametersOf reads a partition's parameters, which may be nil. The default direction is DirectionBoth.
func PartitionParametersOf(text json.RawMessage) (PartitionParameters, error) {
	p := PartitionParameters{Direction: DirectionBoth}
	if text != nil {
		if err := json.Unmarshal(text, &p); err != nil {
			return p, fmt.Errorf("reading the parameters of a partition: %w", err)
		}
	}
	switch p.Direction {
	case DirectionBoth, DirectionTo, DirectionFrom:
		return p, nil
	}
	return p, fmt.Errorf("direction is %q: write Both, To or From", p.Direction)
}

func checkPartition(text json.RawMessage) error {
	_, err := PartitionParametersOf(text)
	return err
}
