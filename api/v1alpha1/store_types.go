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
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`
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
	Size *resource.Quantity `json:"size,omitempty"`
	// className is the storage class. Default: the cluster's default class.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	ClassName string `json:"className,omitempty"`
}

// ResourcesSpec is what a container asks for and may use.
type ResourcesSpec struct {
	// requests are reserved for the container.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Requests corev1.ResourceList `json:"requests,omitempty"`
	// limits bound the container.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Limits corev1.ResourceList `json:"limits,omitempty"`
}
