package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// published are the schemas of the chart's definitions, as an API server publishes them.
func published(t *testing.T) schemas {
	t.Helper()
	parts := map[string]any{}
	for _, k := range kinds {
		content, err := os.ReadFile(filepath.Join("..", "..", "..", "charts", "kvbench", "crds", "kvbench.io_"+strings.ToLower(k.name)+"s.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		read := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(content, read); err != nil {
			t.Fatal(err)
		}
		parts["io.kvbench.v1alpha1."+k.name] = asPublished(t, read.Spec.Versions[0].Schema.OpenAPIV3Schema, k.name)
	}
	parts["io.k8s.Status"] = map[string]any{"type": "object"} // of no kind
	document, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": parts}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := parseSchemas(document, v1alpha1.GroupVersion)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// asPublished adds to a schema what tells its kind.
func asPublished(t *testing.T, props *apiextensionsv1.JSONSchemaProps, kind string) map[string]any {
	t.Helper()
	document, err := json.Marshal(props)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]any{}
	if err := json.Unmarshal(document, &part); err != nil {
		t.Fatal(err)
	}
	part["x-kubernetes-group-version-kind"] = []metav1.GroupVersionKind{{Group: "kvbench.io", Version: "v1alpha1", Kind: kind}}
	return part
}

func TestTheChartsDefinitionsAreOfThisVersion(t *testing.T) {
	wantFindings(t, judgeDefinitions(published(t)), "ok: BenchmarkRun has all fields", "ok: BenchmarkSuite has all fields")
}

func TestDefinitionsThatDontFit(t *testing.T) {
	for name, c := range map[string]struct {
		change func(schemas)
		want   string
	}{
		"absent": {func(s schemas) { delete(s, "BenchmarkRun") }, "problem: there is no kind BenchmarkRun of kvbench.io/v1alpha1"},
		"an older one": {func(s schemas) {
			delete(s["BenchmarkRun"].Properties["spec"].Properties["store"].Properties, "nodes")
			delete(s["BenchmarkRun"].Properties["spec"].Properties["faults"].Items.Schema.Properties, "action")
		}, "warning: spec.store.nodes, spec.faults.action"},
		"no status": {func(s schemas) { delete(s["BenchmarkRun"].Properties, "status") }, "warning: status"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := published(t)
			c.change(changed)
			wantFindings(t, judgeDefinitions(changed), c.want, "ok: BenchmarkSuite")
		})
	}
	wantFindings(t, judgeDefinitions(nil), "problem: install kvbench", "problem: BenchmarkSuite")
}

func TestSchemasThatDontTell(t *testing.T) {
	for document, notFound := range map[string]bool{
		`{}`: true,
		`{"components":{"schemas":{"x":{"x-kubernetes-group-version-kind":[{"group":"kvbench.io","version":"v2","kind":"A"}]}}}}`: true,
		`<html>`: false,
	} {
		if found, err := parseSchemas([]byte(document), v1alpha1.GroupVersion); err == nil || apierrors.IsNotFound(err) != notFound {
			t.Errorf("%s: %v, %v", document, found, err)
		}
	}
}

func TestWhatASchemaLacksIsNamed(t *testing.T) {
	allowed := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal([]byte(`{"properties": {
		"action": {"type": "string", "enum": ["kill", "partition"]},
		"pods": {"additionalProperties": {"items": {"type": "string"}}},
		"free": {"type": "object"},
		"list": {"items": {"properties": {"a": {}}}}
	}}`), allowed); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"action": "kill", "pods": {"n": ["x"]}, "free": {"any": 1}, "list": [{"a": 1}]}`: "",
		`{"action": "delay"}`:                      `spec.action: "delay"`,
		`{"list": [{"a": 1}, {"b": 1}], "new": 1}`: "spec.list.b spec.new",
	} {
		var written any
		if err := json.Unmarshal([]byte(value), &written); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(unfit(written, allowed, "spec"), " "); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}
