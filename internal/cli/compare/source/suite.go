package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// ErrUnderWay is of a suite that has not ended. Who looks after each trial, and stops when it suits him, is wrong more often
// than the intervals say.
var ErrUnderWay = errors.New("the suite is under way: wait until all of its trials have ended")

// ofSuite takes a suite's report. It has the figures, but not the fingerprints, of its trials.
func ofSuite(document []byte) (*Source, error) {
	found, err := readSuite(document)
	if err != nil {
		return nil, err
	}
	s := &Source{Kind: Suite, Of: found.Suite, NoFingerprints: true}
	s.tell(found)
	s.Found = &findings.Baseline{Format: findings.BaselineFormat, Suite: found.Suite}
	for i := range found.Combinations {
		c := &found.Combinations[i]
		if c.Absent {
			continue
		}
		if len(c.Metrics) > maxMetrics {
			return nil, fmt.Errorf("its combination %s has more figures than a run has", c.Name())
		}
		if c.Valid == 0 {
			return nil, fmt.Errorf("all trials of %s are %w", c.Name(), ErrNotValid)
		}
		s.Found.Combinations = append(s.Found.Combinations, combinationOf(c))
	}
	// What a suite says of itself is checked as a baseline is.
	checked, err := s.Found.JSON()
	if err != nil {
		return nil, err
	}
	s.Found, err = findings.ReadBaseline(checked)
	return s, err
}

func readSuite(document []byte) (*findings.Report, error) {
	found := &findings.Report{}
	if err := json.Unmarshal(document, found); err != nil {
		return nil, fmt.Errorf("it can't be read as a suite's report, maybe because it is of another version of kvbench: %w", err)
	}
	switch {
	case found.Format != findings.Format:
		return nil, fmt.Errorf("it is a suite's report of format %d, and this kubectl kvbench reads format %d: take the one that fits", found.Format, findings.Format)
	case !found.Complete:
		return nil, ErrUnderWay
	case found.Confidence < manifest.Confidence || found.Confidence >= 1:
		return nil, fmt.Errorf("it is a suite's report with the confidence %v", found.Confidence)
	}
	return found, nil
}

// Complete adds to a suite's baseline.json what only its suite.json tells.
func (s *Source) Complete(document []byte) error {
	found, err := readSuite(document)
	if err != nil {
		return fmt.Errorf("%s can't be compared: %w", s.Argument, err)
	}
	s.Kind = Suite
	s.tell(found)
	return nil
}

func (s *Source) tell(found *findings.Report) {
	s.Confidence, s.Warnings = found.Confidence, found.Warnings
}

// combinationOf has what a suite's report tells of the combination's trials. Whether the store could take the load is not in it.
func combinationOf(c *findings.Combination) findings.BaselineCombination {
	made := findings.BaselineCombination{Labels: c.Labels, Unusable: c.Unusable, Fingerprints: []fingerprint.Print{{}}}
	for _, m := range c.Metrics {
		made.Metrics = append(made.Metrics, findings.BaselineMetric{Name: m.Name, Unit: m.Unit, Values: m.Values})
		if !slices.Contains(made.Workloads, m.Workload) {
			made.Workloads = append(made.Workloads, m.Workload)
		}
		if kind := (figures.Operation{Workload: m.Workload, Operation: m.Operation}); m.Operation != "" && !slices.Contains(made.Operations, kind) {
			made.Operations = append(made.Operations, kind)
		}
		if fault := (figures.Fault{Workload: m.Workload, Fault: m.Fault, Outage: true}); m.Metric == figures.Outage && !slices.Contains(made.Faults, fault) {
			made.Faults = append(made.Faults, fault)
		}
	}
	return made
}
