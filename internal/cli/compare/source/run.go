package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// ofRun takes a run's report as a suite of one trial.
func ofRun(document []byte) (*Source, error) {
	made := &report.Report{}
	if err := json.Unmarshal(document, made); err != nil {
		return nil, fmt.Errorf("it can't be read as a run's report, maybe because it is of another version of kvbench: %w", err)
	}
	if made.Format != report.Format {
		return nil, fmt.Errorf("it is a run's report of format %d, and this kubectl kvbench reads format %d: take the one that fits", made.Format, report.Format)
	}
	of := manifest.Name{Namespace: made.Run.Namespace, Name: made.Run.Name, UID: made.Run.UID}
	if !made.Valid {
		return nil, fmt.Errorf("the numbers of the run %s/%s are %w (%s): make it again", of.Namespace, of.Name, ErrNotValid, reasons(made))
	}
	operations := 0
	for i := range made.Workloads {
		operations += len(made.Workloads[i].Operations)
	}
	if len(made.Workloads) > maxWorkloads || operations > maxOperations || len(made.Faults) > maxOperations {
		return nil, errors.New("it has more workloads, operations or faults than a run has")
	}
	trial := manifest.Trial{Attempts: []manifest.Attempt{{Run: of.Name, UID: of.UID, Outcome: manifest.Valid}}}
	one := &manifest.Manifest{Format: manifest.Format, Suite: of, Complete: true, Combinations: [][]manifest.Label{{}}, Blocks: 1, Trials: []manifest.Trial{trial}}
	found, err := findings.Compute(one, nil, func(string, string) (*findings.Run, error) { return findings.RunOf(made, ""), nil })
	if err != nil {
		return nil, fmt.Errorf("it has figures that no run has: %w", err)
	}
	kept, err := found.Baseline()
	if err != nil {
		return nil, err
	}
	return &Source{Kind: Run, Of: of, Found: kept}, nil
}

// reasons are the words of why the numbers are not valid, each once.
func reasons(made *report.Report) string {
	var words []string
	for _, reason := range made.InvalidReasons {
		if !slices.Contains(words, reason.Reason) {
			words = append(words, reason.Reason)
		}
	}
	return strings.Join(words, ", ")
}
