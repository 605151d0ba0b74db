package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// step is one value of an axis, with the change that it makes to the run's spec.
type step struct {
	label manifest.Label
	apply func(spec []byte) ([]byte, error)
}

// maxValueText bounds what one value of an axis may be called, in bytes.
const maxValueText = 63

// Axes are a suite's axes with what their values are called. The suite has been expanded without problems.
func Axes(spec *v1alpha1.BenchmarkSuiteSpec) []manifest.Axis {
	axes := make([]manifest.Axis, len(spec.Axes))
	for i := range spec.Axes {
		axes[i].Name = spec.Axes[i].Name
		all, _ := steps(&spec.Axes[i]) // its error is a problem of Expand
		for _, s := range all {
			axes[i].Values = append(axes[i].Values, s.label.Value)
		}
		axes[i].Fields = fields(&spec.Axes[i])
	}
	if spec.Search != nil {
		axes = append(axes, searchAxis())
	}
	return axes
}

func steps(axis *v1alpha1.SuiteAxis) ([]step, error) {
	if (len(axis.Cases) > 0) == (len(axis.Values) > 0) {
		return nil, fmt.Errorf("axis %s: an axis has a path and values, or cases", axis.Name)
	}
	var all []step
	for _, value := range axis.Values {
		text, err := valueText(value.Raw)
		if err != nil {
			return nil, fmt.Errorf("axis %s: %w", axis.Name, err)
		}
		all = append(all, step{manifest.Label{Axis: axis.Name, Value: text}, func(spec []byte) ([]byte, error) { return setRaw(spec, axis.Path, value.Raw) }})
	}
	for _, named := range axis.Cases {
		all = append(all, step{manifest.Label{Axis: axis.Name, Value: named.Name}, func(spec []byte) ([]byte, error) {
			if named.Patch == nil {
				return spec, nil
			}
			return jsonpatch.MergePatch(spec, named.Patch.Raw)
		}})
	}
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.label.Value] {
			return nil, fmt.Errorf("axis %s has the value %s twice", axis.Name, s.label.Value)
		}
		seen[s.label.Value] = true
	}
	return all, nil
}

// fields are those that the axis changes: its path, or the leaves of its patches.
func fields(axis *v1alpha1.SuiteAxis) []string {
	if axis.Path != "" {
		return []string{axis.Path}
	}
	found := map[string]bool{}
	for _, named := range axis.Cases {
		if named.Patch == nil {
			continue
		}
		if patch, err := decodeNumbers(named.Patch.Raw); err == nil {
			addLeaves(found, "", patch)
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(found))...)
}

func addLeaves(to map[string]bool, at string, value any) {
	object, ok := value.(map[string]any)
	if !ok {
		to[at] = true
		return
	}
	// An empty object changes nothing of one that is there.
	for name, inner := range object {
		addLeaves(to, at+"/"+fingerprint.Escape(name), inner)
	}
}

func setRaw(spec []byte, pointer string, raw []byte) ([]byte, error) {
	document, err := decodeNumbers(spec)
	if err != nil {
		return nil, err
	}
	value, err := decodeNumbers(raw)
	if err != nil {
		return nil, err
	}
	if err := set(document, pointer, value); err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// decodeNumbers keeps numbers as they are written: a float has no room for a large integer.
func decodeNumbers(text []byte) (document any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&document)
	return document, err
}

// valueText is what a value is called: a string without its quotes, and everything else as JSON.
func valueText(raw []byte) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			return "", fmt.Errorf("a value is no JSON: %w", err)
		}
		text = compact.String()
	}
	if len(text) > maxValueText {
		return "", fmt.Errorf("a value has %d bytes, and can have %d: give long values a name, as cases with patches", len(text), maxValueText)
	}
	return text, nil
}
