package v1alpha1

// PlacementSpec says on which nodes of Kubernetes a run's pods are.
type PlacementSpec struct {
	// members of a store that kvbench deploys from the catalog.
	// +optional
	Members *PodPlacement `json:"members,omitempty"`

	// workers, and with them the other pods of the load generator: loaders and the observer. Only the
	// node selector and the tolerations are the observer's too.
	// +optional
	Workers *WorkerPlacement `json:"workers,omitempty"`
}

// PodPlacement says on which nodes pods of one kind are. All of it is kept, or a pod is not
// scheduled at all.
type PodPlacement struct {
	// nodeSelector are the labels that a node has to have.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && k.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",message="must be names of labels, such as topology.kubernetes.io/zone"
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// tolerations are for nodes with taints, such as those that are kept for benchmarks.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []Toleration `json:"tolerations,omitempty"`

	// spread is Spread: each pod has a node of its own; OneNode: all are on one node; or Zone: as many in
	// each zone, but for one. Default: as even over nodes and zones as the scheduler can, but pods may share nodes.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Spread', 'OneNode', 'Zone']",message="must be Spread, OneNode or Zone"
	Spread Spread `json:"spread,omitempty"`
}

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')",message="must be the value of a label: letters, digits and inner hyphens, underscores and dots"
type LabelValue string

// WorkerPlacement says on which nodes the load generator's pods are.
//
// +kubebuilder:validation:XValidation:rule="!has(self.spread) || self.spread != 'OneNode' || !has(self.toMembers) || self.toMembers != 'Beside'",message="no scheduler can keep both spread: OneNode and toMembers: Beside: leave spread out, and set placement.members.spread to OneNode if all are to be on one node"
type WorkerPlacement struct {
	PodPlacement `json:",inline"`

	// toMembers is Apart: on nodes without a member, or Beside: on nodes that have one. Default: either.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Apart', 'Beside']",message="must be Apart or Beside"
	ToMembers ToMembers `json:"toMembers,omitempty"`
}

// Spread says how pods of one kind are to each other.
type Spread string

// The spreads.
const (
	SpreadNodes   Spread = "Spread"
	SpreadOneNode Spread = "OneNode"
	SpreadZone    Spread = "Zone"
)

// ToMembers says how workers are to the store's members.
type ToMembers string

// How workers can be to members.
const (
	ToMembersApart  ToMembers = "Apart"
	ToMembersBeside ToMembers = "Beside"
)

// Toleration is Kubernetes' own, without a time.
//
// +kubebuilder:validation:XValidation:rule="has(self.key) && size(self.key) > 0 || has(self.operator) && self.operator == 'Exists'",message="without a key a toleration is for all taints: set operator: Exists, or a key"
// +kubebuilder:validation:XValidation:rule="!has(self.operator) || self.operator != 'Exists' || !has(self.value) || size(self.value) == 0",message="operator: Exists is for every value: leave value out"
type Toleration struct {
	// key of the taint. Without it the toleration is for all.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be the key of a taint, such as benchmarks"
	Key string `json:"key,omitempty"`

	// operator is Equal or Exists. Default: Equal.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Equal', 'Exists']",message="must be Equal or Exists"
	Operator string `json:"operator,omitempty"`

	// value of the taint, for Equal.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')",message="must be the value of a taint: letters, digits and inner hyphens, underscores and dots"
	Value string `json:"value,omitempty"`

	// effect of the taint: NoSchedule, PreferNoSchedule or NoExecute. Default: all.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['NoSchedule', 'PreferNoSchedule', 'NoExecute']",message="must be NoSchedule, PreferNoSchedule or NoExecute"
	Effect string `json:"effect,omitempty"`
}

// PullSecret names a Secret of the run's namespace with which images are pulled.
type PullSecret struct {
	// name of the Secret, of the type kubernetes.io/dockerconfigjson.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be lower-case letters, digits, inner hyphens and dots, such as registry"
	Name string `json:"name"`
}
