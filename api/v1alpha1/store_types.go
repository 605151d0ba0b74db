package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// StoreSpec is the store under test.
type StoreSpec struct {
	// name of the catalog's entry, such as etcd.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

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

	// storage of each member.
	// +optional
	Storage StorageSpec `json:"storage,omitempty"`

	// resources of each member. Default: the catalog's.
	// +optional
	Resources *ResourcesSpec `json:"resources,omitempty"`

	// values are Helm values over the catalog's. The chart's schema says which there are.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}

// StorageSpec is the storage of each member.
//
// +kubebuilder:validation:XValidation:rule="!has(self.ephemeral) || !self.ephemeral || !has(self.className)",message="storage.className has no meaning with storage.ephemeral: drop one of them"
type StorageSpec struct {
	// ephemeral keeps the data in the pod (an emptyDir), so that it is lost with it.
	// Default: false, a persistent volume.
	// +optional
	Ephemeral bool `json:"ephemeral,omitempty"`
	// size of the volume. Default: 1Gi.
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
