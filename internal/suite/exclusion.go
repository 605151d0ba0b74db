package suite

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// exclusions returns what says whether a combination is left out. An entry that names what no axis has is a problem.
func exclusions(spec *v1alpha1.BenchmarkSuiteSpec, problems *Problems) func([]manifest.Label) bool {
	known := labelsThatAre(spec)
	delete(known, manifest.SearchAxis) // what is found isn't there to be left out
	var entries [][]manifest.Label
	for i, entry := range spec.Exclude {
		labels := known.labels(fmt.Sprintf("exclude[%d]", i), entry, problems)
		if len(labels) == len(entry) {
			entries = append(entries, labels)
		}
	}
	return func(combination []manifest.Label) bool {
		return slices.ContainsFunc(entries, func(entry []manifest.Label) bool {
			return !slices.ContainsFunc(entry, func(label manifest.Label) bool { return !slices.Contains(combination, label) })
		})
	}
}
