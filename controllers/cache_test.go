package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

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
