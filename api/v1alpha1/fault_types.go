package v1alpha1

// FaultSpec is one injection.
type FaultSpec struct {
	// name of the fault, unique in the run.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be lower-case letters, digits and inner hyphens, such as kill-leader"
	Name string `json:"name"`

	// action is what happens to the target. ContainerKill ends the member's process with
	// SIGKILL; PodKill deletes its pod without grace; Partition cuts it off from all other
	// members, for the duration.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['ContainerKill', 'PodKill', 'Partition']",message="must be ContainerKill, PodKill or Partition"
	Action string `json:"action"`

	// target is resolved when the fault is due. Default: any member.
	// +optional
	Target *FaultTarget `json:"target,omitempty"`

	// at counts from the end of the warm-up; at least 10s before the end of the measurement.
	// +required
	At Duration `json:"at"`

	// duration is how long the fault lasts, from its injection until it is healed. An action that lasts
	// needs one, and the fault has to be over 10s before the end of the measurement. Kills have none.
	// +optional
	Duration *Duration `json:"duration,omitempty"`

	// workload during which the fault is injected. Default: the first.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	Workload string `json:"workload,omitempty"`

	FaultParameters `json:",inline"`
}

// FaultParameters are what actions take: one member for each action that takes parameters, with the name of the
// action. A fault may have the member of its own action.
type FaultParameters struct {
	// partition says what a Partition drops.
	// +optional
	Partition *PartitionParameters `json:"partition,omitempty"`
}

// PartitionParameters are of a Partition.
type PartitionParameters struct {
	// direction of what is dropped between the target and the other members: Both; To, so that
	// the others don't hear the target; or From, so that the target doesn't hear them.
	// Default: Both.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Both', 'To', 'From']",message="must be Both, To or From"
	Direction string `json:"direction,omitempty"`
}

// FaultTarget names the member that a fault hits: by role, or by index.
//
// +kubebuilder:validation:XValidation:rule="has(self.role) != has(self.member)",message="set role or member, not both: role Leader, Follower or Any, or member from 0"
type FaultTarget struct {
	// role that the member has when the fault is due: Leader, Follower or Any.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['Leader', 'Follower', 'Any']",message="must be Leader, Follower or Any"
	Role string `json:"role,omitempty"`
	// member is its index, from 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=8
	Member *int32 `json:"member,omitempty"`
}
