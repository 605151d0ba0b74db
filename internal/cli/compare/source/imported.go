package source

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// ofImported takes the figures of another tool as a suite of one trial. Nobody knows what was run, nor whether it is valid.
func ofImported(document []byte) (*Source, error) {
	in, err := imported.Read(document)
	if err != nil {
		return nil, err
	}
	if in.NotValid() {
		return nil, fmt.Errorf("the numbers that were imported from %s are %w: kvbench said so when it exported them", in.Source.File, ErrNotValid)
	}
	set := in.Figures()
	c := findings.BaselineCombination{
		Labels: []manifest.Label{}, Fingerprints: []fingerprint.Print{{}}, Workloads: set.Workloads, Operations: set.Operations,
	}
	for _, f := range set.Figures {
		c.Metrics = append(c.Metrics, findings.BaselineMetric{Name: f.Name, Unit: f.Unit, Values: []findings.Value{{Value: f.Value}}})
	}
	s := &Source{
		Kind: Imported, Of: manifest.Name{Name: in.Source.File}, Tool: in.Tool,
		Found: &findings.Baseline{Format: findings.BaselineFormat, Combinations: []findings.BaselineCombination{c}},
	}
	for _, n := range in.NotKnown {
		s.Warnings = append(s.Warnings, n.String())
	}
	s.Warnings = append(s.Warnings, in.Remarks...)
	return s, nil
}
