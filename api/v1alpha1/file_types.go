package v1alpha1

// FileSource names a file. It is read once, when the run is admitted, with the rights of the
// run's service account: what becomes of the ConfigMap later changes nothing. The files of a
// run have at most 1 MiB together.
type FileSource struct {
	// configMapKeyRef is a key of a ConfigMap in the run's namespace.
	// +required
	ConfigMapKeyRef ConfigMapKeyRef `json:"configMapKeyRef"`
}

// ConfigMapKeyRef is a key of a ConfigMap.
//
// +kubebuilder:validation:XValidation:rule="size(self.name) + size(self.key) <= 252",message="name and key may have 252 characters together: shorten one of them"
type ConfigMapKeyRef struct {
	// name of the ConfigMap.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be lower-case letters, digits, inner hyphens and dots, such as traces"
	Name string `json:"name"`

	// key in its data or binaryData.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z0-9]+$')",message="must be letters, digits, hyphens, dots and underscores, such as day.csv"
	Key string `json:"key"`
}

// TraceSpec is a file of requests that were recorded, to be made again: a line
// time,operation,key,size for each (see docs/reference/workloads.md). It may be compressed by
// gzip, as binaryData, and has at most 32 MiB then.
type TraceSpec struct {
	FileSource `json:",inline"`

	// stretch makes every gap between requests so many times as long: "0.5" is twice as fast.
	// Default: "1".
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{1,7}([.][0-9]{1,6})?$') && double(self) > 0.0 && double(self) <= 1000000.0",message="must be a number above 0 and up to 1000000 in quotes, such as \"0.5\""
	Stretch string `json:"stretch,omitempty"`
}
