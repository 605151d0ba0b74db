package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/controllers/names"
)

// A hundred runs may wait with a megabyte each.
func TestTheCacheHasNoContentsOfFiles(t *testing.T) {
	for role, want := range map[string]int{names.RoleFiles: 0, names.RolePlan: 1} {
		held := &corev1.ConfigMap{BinaryData: map[string][]byte{"a": {1}}}
		held.Labels = map[string]string{names.LabelRole: role}
		transformed, err := withoutFiles(held)
		if err != nil || len(transformed.(*corev1.ConfigMap).BinaryData) != want {
			t.Errorf("%s: %v, %v", role, transformed, err)
		}
	}
}

// A cluster may have hundreds of definitions, some of which are there once more in an annotation.
func TestTheCacheHasNoMoreOfADefinitionThanItsName(t *testing.T) {
	definition := &metav1.PartialObjectMetadata{}
	definition.Name = "podchaos.chaos-mesh.org"
	definition.Labels, definition.Annotations = map[string]string{"a": "b"}, map[string]string{"last-applied": "all of it"}
	transformed, err := nameAlone(definition)
	if err != nil {
		t.Fatal(err)
	}
	if kept := transformed.(*metav1.PartialObjectMetadata); kept.Name != "podchaos.chaos-mesh.org" || len(kept.Labels)+len(kept.Annotations) > 0 {
		t.Errorf("%+v", kept.ObjectMeta)
	}
}
