// Package source reads what is compared: documents of runs, suites and baselines, and of other tools, wherever they are from. It is pure.
// Documents may be of anybody, so their sizes are bounded.
package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Kind is what a document is of.
type Kind string

// Kinds, as users write them before a name and a slash.
const (
	Run      Kind = "run"
	Suite    Kind = "suite"
	Baseline Kind = "baseline"
	// Imported is of a file alone, with the figures of another tool.
	Imported Kind = "imported"
)

// Source is one of those that are compared.
type Source struct {
	// Argument is what the user wrote.
	Argument string
	Kind     Kind
	// Of is the run or the suite. Of a baseline it is the suite that was kept, and of what was imported the tool's file.
	Of manifest.Name
	// Tool is whose figures were imported; "" of kvbench's own.
	Tool string
	// Found has the figures and the fingerprints.
	Found *findings.Baseline
	// Confidence of its intervals; 0 where the document doesn't tell.
	Confidence float64
	// NoFingerprints says that the document doesn't tell what its runs were.
	NoFingerprints bool
	// Warnings are those of the document itself.
	Warnings []string
	// Report is the document of a run, and Charts has its figures over time, for a page; nil of what is no run, or has none.
	Report, Charts []byte
}

// MaxBytes bounds a document. A report of a run has some megabytes for each hour.
const MaxBytes = 256 << 20

// ErrNotValid is of a document without numbers that may be believed.
var ErrNotValid = errors.New("not valid")

// errNoDocument is of a file that is something else.
var errNoDocument = errors.New("it is no report.json of a run, and no suite.json or baseline.json of a suite; kubectl kvbench import reads outputs of other tools")

// Read recognizes a document by its content. The errors name the argument.
func Read(argument string, document []byte) (*Source, error) {
	s, err := read(document)
	if err != nil {
		return nil, fmt.Errorf("%s can't be compared: %w", argument, text.CleanError(err))
	}
	s.Argument = argument
	if s.Kind == Run {
		s.Report = document
	}
	return s, nil
}

func read(document []byte) (*Source, error) {
	if len(document) > MaxBytes {
		return nil, fmt.Errorf("it has more than %d MiB", MaxBytes>>20)
	}
	var has map[string]json.RawMessage
	if json.Unmarshal(document, &has) != nil {
		return nil, errNoDocument
	}
	there := func(fields ...string) bool {
		for _, field := range fields {
			if _, is := has[field]; !is {
				return false
			}
		}
		return true
	}
	var s *Source
	var err error
	switch {
	case imported.Is(document):
		s, err = ofImported(document)
	case there("format", "run", "store", "workloads"):
		s, err = ofRun(document)
	case there("format", "suite", "trials", "combinations"):
		s, err = ofSuite(document)
	case there("format", "suite", "combinations"):
		s, err = ofBaseline(document)
	default:
		return nil, errNoDocument
	}
	if err != nil {
		return nil, err
	}
	return s, bound(s.Found)
}

func ofBaseline(document []byte) (*Source, error) {
	found, err := findings.ReadBaseline(document)
	if err != nil {
		return nil, err
	}
	return &Source{Kind: Baseline, Of: found.Suite, Found: found}, nil
}

// Bounds of what a document has. A run has 64 workloads at most, and a suite has 10,000 combinations.
const (
	maxCombinations = 10_000
	maxWorkloads    = 64
	maxOperations   = 1000 // of all workloads
	maxMetrics      = 8000
	maxTrials       = 1000
)

// bound refuses what would take for ever to compare, and figures that nothing can have.
func bound(found *findings.Baseline) error {
	if len(found.Combinations) > maxCombinations {
		return fmt.Errorf("it has %d combinations, and a suite has %d at most", len(found.Combinations), maxCombinations)
	}
	for i := range found.Combinations {
		c := &found.Combinations[i]
		if len(c.Workloads) > maxWorkloads || len(c.Operations) > maxOperations || len(c.Faults) > maxOperations || len(c.Metrics) > maxMetrics {
			return fmt.Errorf("its combination %s has more workloads, operations, faults or figures than a run has", manifest.NameOf(c.Labels))
		}
		blocks := map[int]bool{}
		for _, m := range c.Metrics {
			for _, value := range m.Values {
				if !(value.Value >= 0) || math.IsInf(value.Value, 0) {
					return fmt.Errorf("it has a figure %v of %s", value.Value, m.Name)
				}
				blocks[value.Block] = true
			}
		}
		if len(blocks) > maxTrials {
			return fmt.Errorf("its combination %s has more trials than a suite has", manifest.NameOf(c.Labels))
		}
	}
	return nil
}
