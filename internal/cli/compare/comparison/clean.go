package comparison

import (
	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func cleanLabels(labels []manifest.Label) Combination {
	all := Combination{}
	for _, l := range labels {
		all = append(all, manifest.Label{Axis: text.Clean(l.Axis), Value: text.Clean(l.Value)})
	}
	return all
}

func cleanDifferences(differences []fingerprint.Difference) (all []fingerprint.Difference) {
	for _, d := range differences {
		all = append(all, fingerprint.Difference{Field: text.Clean(d.Field), Value: text.Clean(d.Value), Against: text.Clean(d.Against)})
	}
	return all
}
