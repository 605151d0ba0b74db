package validate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/validate/definition"
)

// documents are those of YAML that aren't empty. JSON is YAML.
func documents(text []byte) (all [][]byte, err error) {
	split := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := split.Read()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case empty(document):
			continue
		case len(document) > maxDocumentBytes:
			return nil, fmt.Errorf("document %d has %d bytes, and the API server takes %d: shorten it", len(all)+1, len(document), maxDocumentBytes)
		case len(all) == maxDocuments:
			return nil, fmt.Errorf("it has more than %d documents: split it", maxDocuments)
		}
		all = append(all, document)
	}
}

// empty says that a document has comments and blank lines alone.
func empty(document []byte) bool {
	for line := range strings.Lines(string(document)) {
		if text := strings.TrimSpace(line); text != "" && text != "---" && text[0] != '#' {
			return false
		}
	}
	return true
}

// parse reads an object as the API server does. A key that is there twice is an error.
func parse(document []byte) (map[string]any, error) {
	asJSON, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, fmt.Errorf("it is no YAML: %w", err)
	}
	var value any
	if err := utiljson.Unmarshal(asJSON, &value); err != nil {
		return nil, fmt.Errorf("it can't be read: %w", err)
	}
	object, is := value.(map[string]any)
	if !is {
		return nil, errors.New("it is no object with apiVersion, kind, metadata and spec: write one, or start with kubectl kvbench init")
	}
	return object, nil
}

// unfold is what a list has, as kubectl get prints one and kubectl apply takes it, or the object itself.
func unfold(object map[string]any) ([]map[string]any, error) {
	kind, version := (&unstructured.Unstructured{Object: object}).GetKind(), (&unstructured.Unstructured{Object: object}).GetAPIVersion()
	ofOurs := version == v1alpha1.GroupVersion.String() && (kind == definition.Run+"List" || kind == definition.Suite+"List")
	if !ofOurs && (kind != "List" || version != "v1") {
		return []map[string]any{object}, nil
	}
	items, _, err := unstructured.NestedSlice(object, "items")
	if err != nil {
		return nil, fmt.Errorf("it is a list without items: %w", err)
	}
	if len(items) > maxDocuments {
		return nil, fmt.Errorf("it is a list of %d objects, and can have %d: split it", len(items), maxDocuments)
	}
	var all []map[string]any
	for i, item := range items {
		one, is := item.(map[string]any)
		if !is {
			return nil, fmt.Errorf("item %d of the list is no object", i+1)
		}
		all = append(all, one)
	}
	return all, nil
}
