package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// StoreSpec is the store under test: one of the catalog, a chart, or endpoints.
//
// +kubebuilder:validation:XValidation:rule="!has(self.endpoints) || size(self.endpoints) == self.nodes",message="nodes must be the number of endpoints: each of them is a member"
// +kubebuilder:validation:XValidation:rule="!has(self.endpoints) || !has(self.version) && !has(self.values) && !has(self.resources) && (!has(self.storage) || (!has(self.storage.ephemeral) || !self.storage.ephemeral) && !has(self.storage.size) && !has(self.storage.className))",message="endpoints run already, nothing is deployed: leave version, storage, resources and values out"
// +kubebuilder:validation:XValidation:rule="!has(self.endpoints) || self.endpoints.all(e, !has(e.pod) || self.endpoints.exists_one(f, has(f.pod) && f.pod == e.pod))",message="endpoints[].pod must be another one for each endpoint: correct it"
// +kubebuilder:validation:XValidation:rule="!has(self.endpoints) || self.endpoints.all(e, !has(e.pod) || self.endpoints.all(f, !has(f.pod) || f.pod == e.pod || !e.address.startsWith(f.pod + '.')))",message="endpoints[].address begins with the name of another endpoint's pod, which a fault would hit in its place: name the pod that the address leads to"
// +kubebuilder:validation:XValidation:rule="has(self.endpoints) || has(self.chart) || (!has(self.driver) || size(self.driver) == 0) && !has(self.container) && (!has(self.allowFaults) || !self.allowFaults)",message="driver, container and allowFaults are for endpoints and charts: leave them out, or name endpoints or a chart"
// +kubebuilder:validation:XValidation:rule="!has(self.chart) || !has(self.endpoints)",message="endpoints run already, and a chart is deployed: name one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.chart) || !has(self.version) && !has(self.resources) && (!has(self.storage) || (!has(self.storage.ephemeral) || !self.storage.ephemeral) && !has(self.storage.size) && !has(self.storage.className))",message="a chart says itself which values set version, storage and resources: leave these fields out, and set store.values"
// +kubebuilder:validation:XValidation:rule="has(self.endpoints) || !has(self.securitySecret)",message="securitySecret is for endpoints: leave it out, credentials of what is deployed are made for the run"
// +kubebuilder:validation:XValidation:rule="!has(self.endpoints) || has(self.securitySecret) == (has(self.security) && self.security != 'None')",message="security and securitySecret of endpoints go together: set both, or leave both out"
// +kubebuilder:validation:XValidation:rule="!has(self.chart) || !has(self.security) || self.security == 'None'",message="there are no credentials for a chart yet: leave security out, and give kvbench members that ask for none"
type StoreSpec struct {
	// name of the catalog's entry, such as etcd. With a driver, any name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be lower-case letters, digits and inner hyphens, such as etcd"
	Name string `json:"name"`

	// driver is the catalog's entry whose protocol the endpoints, or the chart's servers, speak.
	// Default: name.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Driver string `json:"driver,omitempty"`

	// mode is what the store promises and how it is driven, such as linearizable or
	// serializable. Default: the catalog's.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Mode string `json:"mode,omitempty"`

	// version is the image's tag. Default: the catalog's.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9_][A-Za-z0-9_.-]*$')",message="must be an image tag, such as v3.7.3"
	Version string `json:"version,omitempty"`

	// nodes is the number of members.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9
	Nodes int32 `json:"nodes"`

	// security is what members ask of their clients: None, Auth or TLS. The passwords and certificates for it are
	// made for each run anew, but for those of endpoints. Default: None.
	// +optional
	Security Security `json:"security,omitempty"`

	// securitySecret names a Secret of the run's namespace with what the endpoints ask for: username,
	// password, ca.crt, tls.crt and tls.key, as far as they do. It needs the label
	// kvbench.io/store-credentials: "true".
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be lower-case letters, digits, inner hyphens and dots, such as etcd-client"
	SecuritySecret string `json:"securitySecret,omitempty"`

	// storage of each member.
	// +optional
	Storage StorageSpec `json:"storage,omitempty"`

	// resources of each member. Default: the catalog's.
	// +optional
	Resources *ResourcesSpec `json:"resources,omitempty"`

	// values are Helm values over the catalog's, or the chart's own. The chart's schema says
	// which there are.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	Values *apiextensionsv1.JSON `json:"values,omitempty"`

	// chart is deployed in place of the catalog's. Its servers speak the driver's protocol.
	// +optional
	Chart *ChartSpec `json:"chart,omitempty"`

	// endpoints are the members of a cluster that runs already. Nothing is deployed, and
	// nothing removed: what is loaded stays in it.
	// +optional
	// +listType=map
	// +listMapKey=address
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=9
	Endpoints []EndpointSpec `json:"endpoints,omitempty"`

	// allowFaults lets spec.faults hit pods that the run didn't make, if its service account has
	// the verb fault on them: the endpoints', or those of an operator whose resource the chart
	// makes. Default: false.
	// +optional
	AllowFaults bool `json:"allowFaults,omitempty"`

	// container of the endpoints' or the chart's pods that a ContainerKill ends. Default: what the driver's
	// store calls it, such as etcd.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be lower-case letters, digits and inner hyphens, such as server"
	Container string `json:"container,omitempty"`
}

// EndpointSpec is a member that runs already.
type EndpointSpec struct {
	// address of the member for clients, host:port.
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=259
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?|\\\\[[0-9A-Fa-f:.]+\\\\]):([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$')",message="must be host:port with a port up to 65535, such as etcd-0.etcd:2379, and no scheme before it"
	Address string `json:"address"`

	// pod of the member, in the run's namespace. Faults need it, and the report calls the member
	// by it. Default: none, and the member is called by its address.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be lower-case letters, digits, inner hyphens and dots, such as etcd-0"
	Pod string `json:"pod,omitempty"`
}

// StorageSpec is the storage of each member.
//
// +kubebuilder:validation:XValidation:rule="!has(self.ephemeral) || !self.ephemeral || !has(self.className)",message="storage.className has no meaning with storage.ephemeral: drop one of them"
type StorageSpec struct {
	// ephemeral keeps the data in the pod (an emptyDir), so that it is lost with it.
	// Default: false, a persistent volume.
	// +optional
	Ephemeral bool `json:"ephemeral,omitempty"`
	// size of the volume; with ephemeral the most that the pod may keep. Default: 1Gi.
	// +optional
	// +kubebuilder:validation:XValidation:rule="size(string(self)) <= 32 && (!isQuantity(string(self)) || quantity(string(self)).isGreaterThan(quantity('0')))",message="must be above 0 and at most 32 characters, such as 1Gi"
	Size *resource.Quantity `json:"size,omitempty"`
	// className is the storage class. Default: the cluster's default class.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be lower-case letters, digits, inner hyphens and dots, such as fast-ssd"
	ClassName string `json:"className,omitempty"`
}

// ResourcesSpec is what a container asks for and may use.
type ResourcesSpec struct {
	// requests are reserved for the container.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 64 && size(string(self[k])) <= 32)",message="names have at most 64 characters, and amounts at most 32, such as cpu: 500m"
	Requests corev1.ResourceList `json:"requests,omitempty"`
	// limits bound the container.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 64 && size(string(self[k])) <= 32)",message="names have at most 64 characters, and amounts at most 32, such as cpu: 500m"
	Limits corev1.ResourceList `json:"limits,omitempty"`
}
