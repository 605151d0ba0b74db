package suite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// exclusions returns what says whether a combination is left out. An entry that names what no axis has is a problem.
func exclusions(spec *v1alpha1.BenchmarkSuiteSpec, axes [][]step, problems *Problems) func([]manifest.Label) bool {
	known := map[manifest.Label]bool{}
	names := map[string]bool{}
	for i, axis := range axes {
		names[spec.Axes[i].Name] = true
		for _, s := range axis {
			known[s.label] = true
		}
	}
	var entries [][]manifest.Label
	for i, entry := range spec.Exclude {
		var labels []manifest.Label
		for _, axis := range slices.Sorted(maps.Keys(entry)) {
			value := entry[axis]
			label := manifest.Label{Axis: axis, Value: value.String()}
			switch {
			case !names[axis]:
				problems.add("", fmt.Sprintf("exclude[%d] names the axis %s, which is not there", i, axis))
			case !known[label]:
				problems.add("", fmt.Sprintf("exclude[%d] names the value %s, which the axis %s doesn't have", i, label.Value, axis))
			}
			labels = append(labels, label)
		}
		entries = append(entries, labels)
	}
	return func(combination []manifest.Label) bool {
		return slices.ContainsFunc(entries, func(entry []manifest.Label) bool {
			return !slices.ContainsFunc(entry, func(label manifest.Label) bool { return !slices.Contains(combination, label) })
		})
	}
}
