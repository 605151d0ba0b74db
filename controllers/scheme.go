package controllers

import (
	"fmt"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// Scheme knows every type that the controller reads or writes.
func Scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, v1alpha1.AddToScheme, apiextensionsv1.AddToScheme, chaos.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("registering types: %v", err)) // a programming error
		}
	}
	return scheme
}
