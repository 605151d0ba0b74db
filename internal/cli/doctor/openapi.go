package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// schemas are those of the kinds of one group and version, by kind, as the API server publishes them. All users that it knows may
// read them, while definitions are for administrators. An absent group is an error that apierrors.IsNotFound knows.
type schemas map[string]*apiextensionsv1.JSONSchemaProps

func schemasOf(ctx context.Context, c *kube.Cluster, group schema.GroupVersion) (schemas, error) {
	document, err := c.Clients.Discovery().RESTClient().Get().AbsPath(pathOf(group)).SetHeader("Accept", "application/json").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	return parseSchemas(document, group)
}

// pathOf is where the schemas of a group are.
func pathOf(group schema.GroupVersion) string { return "/openapi/v3/apis/" + group.String() }

// readingOf is the right to read them.
func readingOf(group schema.GroupVersion) right { return right{verb: "get", resource: pathOf(group)} }

func parseSchemas(document []byte, group schema.GroupVersion) (schemas, error) {
	var published struct {
		Components struct {
			Schemas map[string]struct {
				apiextensionsv1.JSONSchemaProps
				Kinds []metav1.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &published); err != nil {
		return nil, fmt.Errorf("reading the schemas of %s: %w", group, err)
	}
	found := schemas{}
	for _, s := range published.Components.Schemas {
		for _, kind := range s.Kinds {
			if kind.Group == group.Group && kind.Version == group.Version {
				found[kind.Kind] = s.DeepCopy()
			}
		}
	}
	if len(found) == 0 {
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: group.Group, Resource: "kinds"}, group.Version)
	}
	return found, nil
}

// unfit are the paths of what a JSON value has and the schema hasn't: fields, and values of fields that have only some.
func unfit(value any, allowed *apiextensionsv1.JSONSchemaProps, path string) (paths []string) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below, has := allowed.Properties[name]
			switch {
			case has:
				paths = append(paths, unfit(v[name], &below, path+"."+name)...)
			case allowed.AdditionalProperties != nil && allowed.AdditionalProperties.Schema != nil:
				paths = append(paths, unfit(v[name], allowed.AdditionalProperties.Schema, path+"."+name)...)
			case len(allowed.Properties) > 0:
				paths = append(paths, path+"."+name)
			}
		}
	case []any:
		if allowed.Items != nil && allowed.Items.Schema != nil {
			for _, item := range v {
				paths = append(paths, unfit(item, allowed.Items.Schema, path)...)
			}
		}
	default:
		text, err := json.Marshal(v)
		if err == nil && len(allowed.Enum) > 0 && !slices.ContainsFunc(allowed.Enum, func(e apiextensionsv1.JSON) bool { return string(e.Raw) == string(text) }) {
			paths = append(paths, path+": "+string(text))
		}
	}
	return paths
}
