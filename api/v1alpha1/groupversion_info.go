// Package v1alpha1 holds the custom resources of kvbench.io.
//
// +kubebuilder:object:generate=true
// +groupName=kvbench.io
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API's group and version.
var GroupVersion = schema.GroupVersion{Group: "kvbench.io", Version: "v1alpha1"}

// AddToScheme registers the types of this package.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &BenchmarkRun{}, &BenchmarkRunList{}, &BenchmarkSuite{}, &BenchmarkSuiteList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
