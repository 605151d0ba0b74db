package controllers

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
)

// withoutFiles keeps the contents of runs' files and charts out of the cache: a hundred runs may wait,
// with a megabyte each.
func withoutFiles(object any) (any, error) {
	if held, ok := object.(*corev1.ConfigMap); ok && (held.Labels[names.LabelRole] == names.RoleFiles || held.Labels[names.LabelRole] == names.RoleChart) {
		held.Data, held.BinaryData = nil, nil
	}
	return cache.TransformStripManagedFields()(object)
}

// nameAlone keeps of a definition its name: a cluster may have hundreds of definitions, and some carry
// themselves once more in an annotation.
func nameAlone(object any) (any, error) {
	if definition, ok := object.(metav1.Object); ok {
		definition.SetLabels(nil)
		definition.SetAnnotations(nil)
	}
	return cache.TransformStripManagedFields()(object)
}

// CacheOptions keep the caches small: of pods and the like only those of runs. That is the
// default and no entry for each type, since an entry for a fault's type would end the
// controller where Chaos Mesh isn't installed.
func CacheOptions(namespace string) cache.Options {
	ours, err := labels.NewRequirement(names.LabelUID, selection.Exists, nil)
	if err != nil {
		panic(fmt.Sprintf("selecting runs' objects: %v", err)) // a programming error
	}
	named := func(name string) fields.Selector { return fields.OneTermEqualSelector("metadata.name", name) }
	return cache.Options{
		DefaultTransform:     cache.TransformStripManagedFields(),
		DefaultLabelSelector: labels.NewSelector().Add(*ours),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.ConfigMap{}:                         {Transform: withoutFiles},
			&v1alpha1.BenchmarkRun{}:                    {Label: labels.Everything()},
			&v1alpha1.BenchmarkSuite{}:                  {Label: labels.Everything()},
			&corev1.Namespace{}:                         {Label: labels.Everything()},
			&apiextensionsv1.CustomResourceDefinition{}: {Label: labels.Everything(), Transform: nameAlone},
			&coordinationv1.Lease{}: {
				Label:      labels.Everything(),
				Namespaces: map[string]cache.Config{namespace: {FieldSelector: named(names.SlotLease)}},
			},
		},
	}
}
