package v1alpha1

// ChartSpec is a Helm chart that is none of the catalog's. It is read once, when the run is
// admitted, and has 900 KiB at most.
//
// +kubebuilder:validation:XValidation:rule="(has(self.configMap) ? 1 : 0) + (has(self.oci) ? 1 : 0) + (has(self.repository) ? 1 : 0) == 1",message="chart comes from one place: name exactly one of configMap, oci and repository"
type ChartSpec struct {
	// configMap of the run's namespace that holds the packed chart (.tgz) under a key of
	// binaryData.
	// +optional
	ConfigMap *ConfigMapKeyRef `json:"configMap,omitempty"`

	// oci is a chart in an OCI registry that kvbench's administrator allows.
	// +optional
	OCI *OCIChartSpec `json:"oci,omitempty"`

	// repository is a chart of a chart repository that kvbench's administrator allows.
	// +optional
	Repository *RepositoryChartSpec `json:"repository,omitempty"`

	// nodesValue is the path of the chart's value that gets store.nodes, such as replicaCount
	// or cluster.size. Default: none, and the chart makes as many members by itself.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][-A-Za-z0-9_]*([.][A-Za-z_][-A-Za-z0-9_]*){0,7}$')",message="must be names joined by dots, such as cluster.size"
	NodesValue string `json:"nodesValue,omitempty"`

	// members says what the chart calls its members. Default: as the catalog's charts do.
	// +optional
	Members *ChartMembersSpec `json:"members,omitempty"`

	// ready are resources that say when the store is ready, beside its pods. What they say is
	// read with the rights of the run's service account.
	// +optional
	// +kubebuilder:validation:MaxItems=4
	// +listType=atomic
	Ready []ChartReadySpec `json:"ready,omitempty"`
}

// OCIChartSpec is a chart in an OCI registry.
type OCIChartSpec struct {
	// url of the chart, such as oci://registry.example.com/charts/etcd.
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^oci://[A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]{1,5})?(/[a-z0-9][a-z0-9._-]*)+$')",message="must be oci://host/path without a tag, such as oci://registry.example.com/charts/etcd"
	URL string `json:"url"`

	// version of the chart, such as 1.2.3. A range is none.
	// +required
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^v?[0-9]+([.][0-9]+){0,2}([-+][-+.A-Za-z0-9]+)?$')",message="must be one version, such as 1.2.3"
	Version string `json:"version"`
}

// RepositoryChartSpec is a chart of a chart repository.
type RepositoryChartSpec struct {
	// url of the repository, below which its index.yaml is, such as https://charts.example.com.
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]{1,5})?(/[-A-Za-z0-9._~]+)*/?$')",message="must be https://host/path, such as https://charts.example.com/stable"
	URL string `json:"url"`

	// name of the chart in it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$')",message="must be letters, digits, inner hyphens, dots and underscores, such as etcd"
	Name string `json:"name"`

	// version of the chart, such as 1.2.3. A range is none.
	// +required
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^v?[0-9]+([.][0-9]+){0,2}([-+][-+.A-Za-z0-9]+)?$')",message="must be one version, such as 1.2.3"
	Version string `json:"version"`
}

// ChartMembersSpec is what a chart calls its members. In its names {release} is the release,
// and {index} the number of the member from 0.
type ChartMembersSpec struct {
	// pod of a member. Default: {release}-{index}.
	// +optional
	// +kubebuilder:validation:MaxLength=80
	// +kubebuilder:validation:XValidation:rule="self.matches('^([-a-z0-9]|[{]release[}]|[{]index[}])+$') && self.contains('{release}') && self.contains('{index}')",message="must have {release} and {index}, and lower-case letters, digits and hyphens beside them, such as {release}-etcd-{index}"
	Pod string `json:"pod,omitempty"`

	// service is the headless Service that gives the pods their host names. Default: {release}.
	// +optional
	// +kubebuilder:validation:MaxLength=80
	// +kubebuilder:validation:XValidation:rule="self.matches('^([-a-z0-9]|[{]release[}])+$') && self.contains('{release}')",message="must have {release}, and lower-case letters, digits and hyphens beside it, such as {release}-headless"
	Service string `json:"service,omitempty"`

	// port for clients. Default: that of the driver's store.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port *int32 `json:"port,omitempty"`
}

// ChartReadySpec is a resource, made by the chart, and what its status says when the store is
// ready: a condition, or a field.
//
// +kubebuilder:validation:XValidation:rule="has(self.condition) != has(self.field)",message="ready is said by a condition or by a field: name one of them"
// +kubebuilder:validation:XValidation:rule="has(self.field) == has(self.equals)",message="field and equals belong together: set both, or none"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || has(self.condition)",message="status is a condition's: leave it out, or name the condition"
type ChartReadySpec struct {
	// apiVersion of the resource, such as operator.etcd.io/v1alpha1.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?v[a-z0-9]+$')",message="must be group/version, such as operator.etcd.io/v1alpha1"
	APIVersion string `json:"apiVersion"`

	// kind of the resource, such as EtcdCluster.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Z][A-Za-z0-9]*$')",message="must be a kind, such as EtcdCluster"
	Kind string `json:"kind"`

	// name of the resource; {release} in it is the release. Default: {release}.
	// +optional
	// +kubebuilder:validation:MaxLength=80
	// +kubebuilder:validation:XValidation:rule="self.matches('^([-a-z0-9]|[{]release[}])+$') && self.contains('{release}')",message="must have {release}, and lower-case letters, digits and hyphens beside it, such as {release}-cluster"
	Name string `json:"name,omitempty"`

	// condition is the type of one of status.conditions, such as Available.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Condition string `json:"condition,omitempty"`

	// status of the condition: "True", "False" or Unknown. Default: "True".
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self in ['True', 'False', 'Unknown']",message="must be 'True', 'False' or Unknown: put the first two in quotes"
	Status string `json:"status,omitempty"`

	// field below status, such as phase or cluster.state, which is a text.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z][A-Za-z0-9]*([.][A-Za-z][A-Za-z0-9]*){0,3}$')",message="must be names joined by dots, below status, such as phase"
	Field string `json:"field,omitempty"`

	// equals is what field says when the store is ready, such as Running.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Equals string `json:"equals,omitempty"`
}
