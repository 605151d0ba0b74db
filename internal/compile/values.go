package compile

import (
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores"
)

// Bounds of spec.store.values, which the API server takes in any form.
const (
	maxValuesBytes = 64 << 10
	maxValuesDepth = 16
)

const defaultStorageSize = "1Gi"

type object = map[string]any

// compileValues are the Helm values: the store's, those that the spec has fields for and those
// that make the mode, and over them spec.store.values. The chart's schema judges the rest.
func compileValues(spec *v1alpha1.StoreSpec, version string, entry *stores.Entry, mode *stores.Mode, asked security) (object, error) {
	values := merge(entry.Values, object{
		"nodes":   int64(spec.Nodes),
		"image":   object{"tag": version},
		"storage": storageValues(spec.Storage, mode.InMemory),
	})
	if resources := resourceValues(spec.Resources); len(resources) > 0 {
		values["resources"] = resources
	}
	own, err := parseValues(spec)
	if err != nil {
		return nil, err
	}
	if path := firstShared(mode.Values, own); path != "" {
		return nil, refuse(ReasonInvalidValues, "spec.store.values.%s: is set by the mode %s: leave it out, or use another spec.store.mode", path, mode.Name)
	}
	values = merge(merge(values, mode.Values), asked.values())
	return merge(values, own), nil
}

func encodeValues(values object) (json.RawMessage, error) {
	encoded, err := json.Marshal(values)
	if err != nil {
		return nil, refuse(ReasonInvalidValues, "spec.store.values: can't be written as JSON: %v: correct them", err)
	}
	return encoded, nil
}

// PodValues are the values of the catalog's charts that are no settings of the store. kvbench sets them when it deploys the store.
// Each has the fields of the spec that it follows from.
var PodValues = map[string]string{
	"rejoin":                    "spec.store.storage and spec.faults",
	"nodeSelector":              "spec.placement.members.nodeSelector",
	"tolerations":               "spec.placement.members.tolerations",
	"affinity":                  "spec.placement.members.spread",
	"topologySpreadConstraints": "spec.placement.members.spread",
	"imagePullSecrets":          "spec.imagePullSecrets",
}

func parseValues(spec *v1alpha1.StoreSpec) (object, error) {
	own, err := readValues(spec)
	if err != nil {
		return nil, err
	}
	// The plan and the report state these, so there must be one place that sets them.
	image, _ := own["image"].(object)
	for _, taken := range []struct {
		in            object
		key           string
		name, instead string
	}{
		{own, "nodes", "nodes", "spec.store.nodes"},
		{own, "storage", "storage", "spec.store.storage"},
		{own, "security", "security", "spec.store.security"},
		{image, "tag", "image.tag", "spec.store.version"},
	} {
		if _, set := taken.in[taken.key]; set {
			return nil, ownField(taken.name, taken.instead)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(PodValues)) {
		if _, set := own[name]; set {
			return nil, ownField(name, PodValues[name])
		}
	}
	return own, nil
}

func ownField(value, instead string) error {
	return refuse(ReasonInvalidValues, "spec.store.values.%s: has a field of its own: set %s instead", value, instead)
}

// readValues reads spec.store.values within their bounds; nil where there are none.
func readValues(spec *v1alpha1.StoreSpec) (object, error) {
	if spec.Values == nil || len(spec.Values.Raw) == 0 {
		return nil, nil
	}
	if n := len(spec.Values.Raw); n > maxValuesBytes {
		return nil, refuse(ReasonInvalidValues, "spec.store.values: %d bytes are above the limit of %d: shorten them", n, maxValuesBytes)
	}
	var own object
	if err := json.Unmarshal(spec.Values.Raw, &own); err != nil {
		return nil, refuse(ReasonInvalidValues, "spec.store.values: must be an object: %v", err)
	}
	if depth(own) > maxValuesDepth {
		return nil, refuse(ReasonInvalidValues, "spec.store.values: nested deeper than %d: flatten them", maxValuesDepth)
	}
	return own, nil
}

func storageValues(spec v1alpha1.StorageSpec, inMemory bool) object {
	if inMemory {
		return object{"ephemeral": true}
	}
	values := object{"ephemeral": spec.Ephemeral, "size": defaultStorageSize}
	if spec.Size != nil {
		values["size"] = spec.Size.String()
	}
	if spec.ClassName != "" {
		values["className"] = spec.ClassName
	}
	return values
}

func resourceValues(spec *v1alpha1.ResourcesSpec) object {
	values := object{}
	if spec == nil {
		return values
	}
	for key, list := range map[string]corev1.ResourceList{"requests": spec.Requests, "limits": spec.Limits} {
		if len(list) == 0 {
			continue
		}
		amounts := object{}
		for name, quantity := range list {
			amounts[string(name)] = quantity.String()
		}
		values[key] = amounts
	}
	return values
}

// merge lays over upon base, as Helm does: objects are merged, all else is replaced. A
// null stays, since for Helm it removes what the chart sets.
func merge(base, over object) object {
	merged := object{}
	maps.Copy(merged, base)
	for key, value := range over {
		below, isObject := merged[key].(object)
		above, both := value.(object)
		if isObject && both {
			value = merge(below, above)
		}
		merged[key] = value
	}
	return merged
}

// firstShared is the path of a value that both set, the first by name; "" when there is none.
func firstShared(a, b object) string {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		theirs, shared := b[key]
		if !shared {
			continue
		}
		inner, isObject := a[key].(object)
		beside, both := theirs.(object)
		if !isObject || !both {
			return key
		}
		if path := firstShared(inner, beside); path != "" {
			return key + "." + path
		}
	}
	return ""
}

func depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case object:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	case []any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	default:
		return 0
	}
	return deepest + 1
}
