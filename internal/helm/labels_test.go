package helm

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// parse returns the documents of a manifest.
func parse(t *testing.T, manifest string) []map[string]any {
	t.Helper()
	var objects []map[string]any
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), 4096)
	for {
		var object map[string]any
		err := documents.Decode(&object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, manifest)
		}
		if len(object) > 0 {
			objects = append(objects, object)
		}
	}
}

func labelsAt(t *testing.T, object map[string]any, path ...string) map[string]string {
	t.Helper()
	labels, _, err := unstructured.NestedStringMap(object, append(path, "metadata", "labels")...)
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

func TestLabelsReachObjectsPodsAndClaims(t *testing.T) {
	const manifest = `
# Source: x
---
kind: StatefulSet
metadata: {name: a, labels: {own: "1", role: other}}
spec:
  template: {metadata: {labels: {own: "1"}}, spec: {containers: []}}
  volumeClaimTemplates: [{metadata: {name: data}}, {metadata: {name: log}}]
---
kind: CronJob
metadata: {name: b}
spec: {jobTemplate: {spec: {template: {spec: {}}}}}
---
kind: ServiceList
items: [{kind: Service, metadata: {name: c}}]
---
kind: SomethingElse
metadata: {name: d}
spec: {template: "text"}
`
	out, err := labeler{"role": "store"}.Run(bytes.NewBufferString(manifest))
	if err != nil {
		t.Fatal(err)
	}
	objects := parse(t, out.String())
	if len(objects) != 4 {
		t.Fatalf("%d objects in:\n%s", len(objects), out)
	}
	claims, _, _ := unstructured.NestedSlice(objects[0], "spec", "volumeClaimTemplates")
	items, _, _ := unstructured.NestedSlice(objects[2], "items")
	for name, labels := range map[string]map[string]string{
		"the StatefulSet": labelsAt(t, objects[0]),
		"its pods":        labelsAt(t, objects[0], "spec", "template"),
		"its first claim": labelsAt(t, claims[0].(map[string]any)),
		"its last claim":  labelsAt(t, claims[1].(map[string]any)),
		"the CronJob":     labelsAt(t, objects[1]),
		"its jobs":        labelsAt(t, objects[1], "spec", "jobTemplate"),
		"its pods' pods":  labelsAt(t, objects[1], "spec", "jobTemplate", "spec", "template"),
		"a list's member": labelsAt(t, items[0].(map[string]any)),
		"any other kind":  labelsAt(t, objects[3]),
	} {
		if labels["role"] != "store" {
			t.Errorf("%s: labels %v", name, labels)
		}
	}
	if labels := labelsAt(t, objects[0]); labels["own"] != "1" {
		t.Errorf("the chart's own labels are lost: %v", labels)
	}
}

func TestWithoutLabelsTheManifestIsUntouched(t *testing.T) {
	const manifest = "kind: X # a comment\n"
	out, err := labeler{}.Run(bytes.NewBufferString(manifest))
	if err != nil || out.String() != manifest {
		t.Fatalf("%q, %v", out, err)
	}
}
