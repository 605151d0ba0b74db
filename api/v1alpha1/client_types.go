package v1alpha1

// ClientGroup is a group of threads that make the same mix of operations.
type ClientGroup struct {
	// name of the group.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="must begin with a lower-case letter, and have lower-case letters, digits and inner hyphens, such as readers"
	Name string `json:"name"`

	// threads of the group, in each worker.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Threads int32 `json:"threads"`

	// mix of the group's operations.
	// +required
	Mix OperationMix `json:"mix"`
}

// OperationMix has a weight for each operation: {read: 3, scan: 1} reads three times of four.
//
// +kubebuilder:validation:MinProperties=1
type OperationMix struct {
	// read a record.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Read int32 `json:"read,omitempty"`

	// update fields of a record.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Update int32 `json:"update,omitempty"`

	// insert a record.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Insert int32 `json:"insert,omitempty"`

	// scan records.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Scan int32 `json:"scan,omitempty"`

	// readModifyWrite reads a record and updates it.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	ReadModifyWrite int32 `json:"readModifyWrite,omitempty"`

	// delete a record.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Delete int32 `json:"delete,omitempty"`
}
