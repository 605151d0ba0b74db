package plan

// Placement says on which nodes of Kubernetes a run's pods have to be.
type Placement struct {
	Members PodPlacement `json:"members,omitzero"`
	// Workers are all pods of the load generator.
	Workers PodPlacement `json:"workers,omitzero"`
	// ToMembers says how workers are to members: ToMembersApart, ToMembersBeside, or "" for either.
	ToMembers string `json:"toMembers,omitempty"`
}

// PodPlacement says on which nodes pods of one kind have to be.
type PodPlacement struct {
	NodeSelector map[string]string `json:"nodeSelector,omitempty"` // labels of the nodes
	Tolerations  []Toleration      `json:"tolerations,omitempty"`
	// Spread is SpreadNodes, SpreadOneNode or SpreadZone; "" is as even as the scheduler can.
	Spread string `json:"spread,omitempty"`
}

// Toleration is one of Kubernetes, for a node with a taint. Its fields are those of Kubernetes.
type Toleration struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"operator,omitempty"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
}

// Values of PodPlacement.Spread.
const (
	SpreadNodes   = "Spread"  // each pod has a node of its own
	SpreadOneNode = "OneNode" // all pods are on one node
	SpreadZone    = "Zone"    // as many pods in each zone, but for one
)

// Values of Placement.ToMembers.
const (
	ToMembersApart  = "Apart"  // no worker is on a node of a member
	ToMembersBeside = "Beside" // each worker is on a node of a member
)
