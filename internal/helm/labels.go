package helm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// labeler is a post-renderer that adds labels to every object, and to the templates in
// it from which the cluster makes pods and claims, so that all of a run is found by them.
type labeler map[string]string

// Run adds the labels to each document of the manifest.
func (l labeler) Run(rendered *bytes.Buffer) (*bytes.Buffer, error) {
	if len(l) == 0 {
		return rendered, nil
	}
	var out bytes.Buffer
	documents := yaml.NewYAMLOrJSONDecoder(rendered, 4096)
	for {
		var object map[string]any
		err := documents.Decode(&object)
		if errors.Is(err, io.EOF) {
			return &out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the rendered manifest: %w", err)
		}
		if len(object) == 0 {
			continue
		}
		if err := l.label(object); err != nil {
			return nil, fmt.Errorf("label %v %s: %w", object["kind"], (&unstructured.Unstructured{Object: object}).GetName(), err)
		}
		document, err := sigsyaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("write the rendered manifest: %w", err)
		}
		out.WriteString("---\n")
		out.Write(document)
	}
}

// podTemplates are where kinds of workload keep the template of their pods.
var podTemplates = [][]string{
	{"spec", "template"},
	{"spec", "jobTemplate"},
	{"spec", "jobTemplate", "spec", "template"},
}

func (l labeler) label(object map[string]any) error {
	if err := l.add(object); err != nil {
		return err
	}
	if err := l.each(object, l.label, "items"); err != nil {
		return err
	}
	for _, path := range podTemplates {
		template, found, err := unstructured.NestedFieldNoCopy(object, path...)
		if err != nil || !found {
			continue // a kind that means something else by that path
		}
		if template, ok := template.(map[string]any); ok && template["spec"] != nil {
			if err := l.add(template); err != nil {
				return err
			}
		}
	}
	return l.each(object, l.add, "spec", "volumeClaimTemplates")
}

// each calls do for the objects of the list at path.
func (l labeler) each(object map[string]any, do func(map[string]any) error, path ...string) error {
	list, found, err := unstructured.NestedFieldNoCopy(object, path...)
	if err != nil || !found {
		return nil
	}
	items, _ := list.([]any)
	for _, item := range items {
		if item, ok := item.(map[string]any); ok {
			if err := do(item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l labeler) add(object map[string]any) error {
	labels, _, err := unstructured.NestedStringMap(object, "metadata", "labels")
	if err != nil {
		return err
	}
	all := map[string]string{}
	maps.Copy(all, labels)
	maps.Copy(all, l) // ours hold
	return unstructured.SetNestedStringMap(object, all, "metadata", "labels")
}
