package findings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// BaselineFormat counts the changes of a baseline that an older reader would misunderstand.
const BaselineFormat = 1

// maxBaselineTrials bounds the trials of a combination: as many as a suite can have.
const maxBaselineTrials = 1000

// maxBaselineValues bounds the values of a document, for a small document could have many that take much memory.
const maxBaselineValues = 200_000

// Baseline is what a suite found, for later suites to be compared with. It needs no runs and no reports any more, so that it can
// be kept, or be a file in Git.
type Baseline struct {
	Format       int                   `json:"format"`
	Suite        manifest.Name         `json:"suite"`
	Combinations []BaselineCombination `json:"combinations"`
}

// BaselineCombination is what the trials of one combination found.
type BaselineCombination struct {
	Labels []manifest.Label `json:"labels"`
	// Unusable counts the trials that ended without valid numbers.
	Unusable int `json:"unusable"`
	// Fingerprints of the valid trials, each once.
	Fingerprints []fingerprint.Print `json:"fingerprints"`
	// Saturated are the workloads whose load the store could not take in some trial.
	Saturated []string `json:"saturated,omitempty"`
	// Workloads, Operations and Faults are what may have figures.
	Workloads  []string            `json:"workloads"`
	Operations []figures.Operation `json:"operations"`
	Faults     []figures.Fault     `json:"faults"`
	Metrics    []BaselineMetric    `json:"metrics"`
}

// BaselineMetric is one figure, with its value in each valid trial that has it.
type BaselineMetric struct {
	figures.Name
	Unit   string  `json:"unit"`
	Values []Value `json:"values"`
}

// Baseline is what later suites may be compared with. Its error says why they can't be.
func (r *Report) Baseline() (*Baseline, error) {
	b := &Baseline{Format: BaselineFormat, Suite: r.Suite, Combinations: []BaselineCombination{}}
	if !r.Complete {
		return nil, errors.New("the suite is under way")
	}
	for i := range r.Combinations {
		c := &r.Combinations[i]
		if c.Absent {
			continue
		}
		if c.Valid == 0 {
			return nil, fmt.Errorf("no trial has valid numbers of %s", c.Name())
		}
		b.Combinations = append(b.Combinations, baselineOf(c))
	}
	return b, nil
}

func baselineOf(c *Combination) BaselineCombination {
	made := BaselineCombination{
		Labels: c.Labels, Unusable: c.Unusable, Fingerprints: []fingerprint.Print{},
		Workloads: []string{}, Operations: []figures.Operation{}, Faults: []figures.Fault{}, Metrics: []BaselineMetric{},
	}
	for _, block := range c.blocks() {
		run := c.trials[block]
		if run == nil {
			continue
		}
		if !slices.ContainsFunc(made.Fingerprints, func(p fingerprint.Print) bool { return maps.Equal(p, run.print) }) {
			made.Fingerprints = append(made.Fingerprints, run.print)
		}
		made.Saturated = union(made.Saturated, run.Saturated)
		made.Workloads = union(made.Workloads, run.figures.Workloads)
		made.Operations = union(made.Operations, run.figures.Operations)
		made.Faults = union(made.Faults, run.figures.Faults)
	}
	for _, m := range c.Metrics {
		made.Metrics = append(made.Metrics, BaselineMetric{Name: m.Name, Unit: m.Unit, Values: m.Values})
	}
	return made
}

// union appends what isn't there yet.
func union[T comparable](to, more []T) []T {
	for _, one := range more {
		if !slices.Contains(to, one) {
			to = append(to, one)
		}
	}
	return to
}

// JSON is the baseline as docs/reference/baseline.schema.json describes it. The same baseline gives the same bytes.
func (b *Baseline) JSON() ([]byte, error) { return report.Document(b) }

// ReadBaseline reads what JSON wrote, and refuses what contradicts itself.
func ReadBaseline(document []byte) (*Baseline, error) {
	b := &Baseline{}
	if bytes.Count(document, []byte{','}) > maxBaselineValues {
		return nil, fmt.Errorf("the baseline has more than %d values", maxBaselineValues)
	}
	if err := json.Unmarshal(document, b); err != nil {
		return nil, fmt.Errorf("the baseline can't be read: %w", err)
	}
	if b.Format != BaselineFormat {
		return nil, fmt.Errorf("the baseline has format %d, and this kvbench reads format %d: is it the file baseline.json of a suite?", b.Format, BaselineFormat)
	}
	if len(b.Combinations) == 0 {
		return nil, errors.New("the baseline has no combinations")
	}
	for i := range b.Combinations {
		c := &b.Combinations[i]
		if c.Unusable < 0 || len(c.Fingerprints) == 0 {
			return nil, fmt.Errorf("the baseline's combination %s has no valid trials", manifest.NameOf(c.Labels))
		}
		if c.Unusable > maxBaselineTrials {
			return nil, fmt.Errorf("the baseline's combination %s has more trials than a suite has", manifest.NameOf(c.Labels))
		}
		for _, m := range c.Metrics {
			if len(m.Values) > maxBaselineTrials {
				return nil, fmt.Errorf("the baseline's combination %s has more trials than a suite has", manifest.NameOf(c.Labels))
			}
			for _, value := range m.Values {
				if value.Block < 0 || !(value.Value >= 0) {
					return nil, fmt.Errorf("the baseline has a figure %v of %s", value.Value, m.Name)
				}
			}
		}
	}
	return b, nil
}

// find is the combination whose labels are all among these; nil if there is none. labels may be of more axes.
func (b *Baseline) find(labels []manifest.Label) *BaselineCombination {
	at := slices.IndexFunc(b.Combinations, func(c BaselineCombination) bool {
		return !slices.ContainsFunc(c.Labels, func(l manifest.Label) bool { return !slices.Contains(labels, l) })
	})
	if at < 0 {
		return nil
	}
	return &b.Combinations[at]
}

// combination is the baseline's as a report has its own. Trials have the blocks that they had.
func (c *BaselineCombination) combination() *Combination {
	made := &Combination{Labels: c.Labels, Unusable: c.Unusable, trials: map[int]*Run{}}
	for _, m := range c.Metrics {
		for _, value := range m.Values {
			run := made.trials[value.Block]
			if run == nil {
				print := c.Fingerprints[len(made.trials)%len(c.Fingerprints)] // nearly always there is one
				run = &Run{print: print, Saturated: c.Saturated, figures: figures.Set{Workloads: c.Workloads, Operations: c.Operations, Faults: c.Faults}}
				made.trials[value.Block] = run
			}
			run.figures.Figures = append(run.figures.Figures, figures.Figure{Name: m.Name, Unit: m.Unit, Value: value.Value, Censored: value.Censored})
		}
	}
	made.Valid = len(made.trials)
	for unusable, block := 0, 0; unusable < c.Unusable; block++ {
		if _, taken := made.trials[block]; !taken {
			made.trials[block] = nil
			unusable++
		}
	}
	return made
}
