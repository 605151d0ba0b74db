package main

import "testing"

func TestObjectsGoWhereKubebuilderHasThem(t *testing.T) {
	folders := sortIntoFolders([]map[string]any{
		{"apiVersion": "v1", "kind": "ServiceAccount"},
		{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role"},
		{"apiVersion": "apps/v1", "kind": "Deployment"},
		{"apiVersion": "v1", "kind": "Service"},
	})
	if len(folders["rbac"]) != 2 || len(folders["manager"]) != 2 {
		t.Errorf("rbac has %d and manager %d objects, want 2 and 2", len(folders["rbac"]), len(folders["manager"]))
	}
}

func TestChartRendersWithItsDefaults(t *testing.T) {
	objects, err := render("../../charts/kvbench")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[any]int{}
	for _, object := range objects {
		kinds[object["kind"]]++
		if object["apiVersion"] == nil {
			t.Errorf("an object has no apiVersion: %v", object)
		}
	}
	for _, kind := range []string{"Deployment", "StatefulSet", "ClusterRole", "Role", "ServiceAccount", "Service"} {
		if kinds[kind] == 0 {
			t.Errorf("the chart has no %s: %v", kind, kinds)
		}
	}
}
