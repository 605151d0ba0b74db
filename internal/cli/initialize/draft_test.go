package initialize

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func TestADraftHasTheAnswersAndTheDefaultsOfTheRest(t *testing.T) {
	for _, c := range []struct {
		given   map[string]string
		store   string
		nodes   int32
		problem string // of which field
	}{
		{nil, "etcd", 3, ""},
		{map[string]string{"store": "redis", "nodes": "1"}, "redis", 1, ""},
		{map[string]string{"store": "etcd", "nodes": "12"}, "etcd", 3, "nodes"},
		{map[string]string{"store": "ectd"}, "etcd", 3, "store"},
		{map[string]string{"mode": "causal"}, "etcd", 3, "mode"},
		{map[string]string{"rate": "-1"}, "etcd", 3, "rate"},
	} {
		d, err := DraftOf("demo", c.given)
		if err != nil {
			t.Fatal(err)
		}
		var run v1alpha1.BenchmarkRun
		if err := yaml.UnmarshalStrict([]byte(d.Manifest), &run); err != nil {
			t.Fatalf("%v: %s", err, d.Manifest)
		}
		if run.Name != "demo" || run.Spec.Store.Name != c.store || run.Spec.Store.Nodes != c.nodes {
			t.Errorf("%v: %s of %s with %d members", c.given, run.Name, run.Spec.Store.Name, run.Spec.Store.Nodes)
		}
		for _, f := range d.Fields {
			if (f.Problem != "") != (f.Key == c.problem) {
				t.Errorf("%v: the problem of %s is %q", c.given, f.Key, f.Problem)
			}
			if f.Key == "store" && f.Value != c.store {
				t.Errorf("%v: the store is %s", c.given, f.Value)
			}
		}
	}
}

func TestADraftsNameIsText(t *testing.T) {
	d, err := DraftOf("x\nspec: {}", nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.Manifest, "\nspec: {}") {
		t.Errorf("a name has become a part of the resource: %s", d.Manifest)
	}
}
