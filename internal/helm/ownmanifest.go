package helm

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// Helm's annotations that mean something at an install or an uninstall.
const (
	hookAnnotation   = "helm.sh/hook"
	policyAnnotation = "helm.sh/resource-policy"
)

// manifest is written object by object.
type manifest struct {
	namespace string
	text      strings.Builder
	kinds     []Kind
	objects   int
	bytes     int // as a text in JSON
}

// manifestOf joins what a chart's files render to, as plain objects: each one's own document,
// without YAML's anchors, in which a few bytes can stand for many.
func manifestOf(files map[string]string, namespace string) (text string, kinds []Kind, err error) {
	out := manifest{namespace: namespace}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if base := path.Base(file); base == "NOTES.txt" || strings.HasPrefix(base, "_") {
			continue
		}
		documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(files[file]), 4096)
		for {
			var object map[string]any
			err := documents.Decode(&object)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return "", nil, bad("its %s renders to no YAML: %s", file, oneLine(err))
			}
			if err := out.write(object); err != nil {
				return "", nil, err
			}
		}
	}
	if out.objects == 0 {
		return "", nil, bad("it renders no object with these values")
	}
	return out.text.String(), out.kinds, nil
}

// writeAll adds the items of a list.
func (m *manifest) writeAll(kind string, items any) error {
	all, ok := items.([]any)
	if !ok || !strings.HasSuffix(kind, "List") {
		return bad("its %s has items, which are a list's: correct its template", kind)
	}
	for _, item := range all {
		inner, ok := item.(map[string]any)
		if !ok {
			return bad("its %s has an item that is no object", kind)
		}
		if err := m.write(inner); err != nil {
			return err
		}
	}
	return nil
}

// write adds the object, if it is one that a run can install and remove again.
func (m *manifest) write(content map[string]any) error {
	object := unstructured.Unstructured{Object: content}
	kind, _ := content["kind"].(string)
	if len(content) == 0 {
		return nil
	}
	// Helm takes whatever has items for a list, and installs them in its place, whatever its kind is.
	if items, isList := content["items"]; isList {
		return m.writeAll(kind, items)
	}
	annotations, _, err := unstructured.NestedStringMap(content, "metadata", "annotations")
	if err != nil {
		return bad("the annotations of %s %s are no texts", kind, object.GetName())
	}
	hooks := annotations[hookAnnotation]
	switch {
	case kind == "" || object.GetAPIVersion() == "" || object.GetName() == "":
		return bad("it renders an object without an apiVersion, a kind or a name")
	case strings.Contains(hooks, "-install"):
		return bad("%s %s is a hook (%s), and a run couldn't remove it again: turn it off by a value", kind, object.GetName(), hooks)
	case hooks != "":
		return nil // of an upgrade, a test and the like, which never come
	case kind == "CustomResourceDefinition":
		return bad("it defines %s, and a run installs no definitions: install them yourself, and turn this off by a value", object.GetName())
	case object.GetNamespace() != "" && object.GetNamespace() != m.namespace:
		return bad("%s %s is of the namespace %s, and a run installs into its own alone", kind, object.GetName(), object.GetNamespace())
	}
	if _, kept := annotations[policyAnnotation]; kept {
		// A run removes what it made.
		unstructured.RemoveNestedField(content, "metadata", "annotations", policyAnnotation)
	}
	hearLastWords(content)
	document, err := sigsyaml.Marshal(content)
	if err != nil {
		return bad("%s %s can't be written: %s", kind, object.GetName(), oneLine(err))
	}
	quoted, err := json.Marshal(string(document))
	if err != nil {
		return bad("%s %s can't be written: %s", kind, object.GetName(), oneLine(err))
	}
	known := func(k Kind) bool { return k.APIVersion == object.GetAPIVersion() && k.Kind == kind }
	if !slices.ContainsFunc(m.kinds, known) {
		m.kinds = append(m.kinds, Kind{APIVersion: object.GetAPIVersion(), Kind: kind, First: object.GetName()})
	}
	m.objects++
	m.bytes += len(quoted)
	if m.objects > maxObjects || m.bytes > maxManifestBytes {
		return bad("it renders more than %d objects, or %d bytes of them: leave out what isn't needed", maxObjects, maxManifestBytes)
	}
	m.text.WriteString("---\n")
	m.text.Write(document)
	return nil
}
