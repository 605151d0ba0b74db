// Package manifest is what the controller tells the results server of a suite: its combinations, and the runs that were made
// of them. With the reports of these runs it is all that a suite's report is computed from.
package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
)

// Format counts the changes of the manifest that an older reader would misunderstand. Format 2 is of suites whose runs are shared by
// several combinations; the others have Format 1, which earlier versions read.
const (
	Format       = 1
	FormatShared = 2
)

// Manifest is of one suite. Combinations and blocks count from 0.
type Manifest struct {
	Format int    `json:"format"`
	Suite  Name   `json:"suite"`
	Seed   uint64 `json:"seed"`
	// Reuse says which runs share a store, as in the suite's spec; "" is none.
	Reuse string `json:"reuse,omitempty"`
	// Complete says that all trials have ended.
	Complete bool `json:"complete"`
	// Axes have their values in the order of the spec; the first one is what others are compared with.
	Axes         []Axis    `json:"axes"`
	Combinations [][]Label `json:"combinations"` // one label for each axis
	Blocks       int       `json:"blocks"`
	// Confidence of the report's intervals; 0 is Confidence. A suite that may end early has more of it at each look.
	Confidence float64 `json:"confidence,omitempty"`
	// Until is what a suite has to know that may end early; nil for others.
	Until *Until `json:"until,omitempty"`
	// Search is what was searched for and found; nil for a suite that doesn't search.
	Search *Search `json:"search,omitempty"`
	// Compare says what the report compares.
	Compare Compare `json:"compare,omitzero"`
	// Objectives are what the suite has to show.
	Objectives []Objective `json:"objectives,omitempty"`
	// Adoption is what the suite took over from an earlier one; nil if it didn't ask.
	Adoption *Adoption `json:"adoption,omitempty"`
	// Trials are in the order in which they are run. Those that have not begun have no attempts.
	Trials []Trial `json:"trials"`
}

// Confidence of what a suite says.
const Confidence = 0.95

// Until is how well the figures of a metric have to be known.
type Until struct {
	Metric    string  `json:"metric"`
	Operation string  `json:"operation,omitempty"` // "" for each kind
	HalfWidth float64 `json:"halfWidth"`           // of the interval, as a part of the figure
}

// Name is of a suite.
type Name struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Axis is one thing that differs from run to run.
type Axis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	// Fields are those of the run's spec that the axis changes, as JSON pointers. They are nil in manifests of earlier versions.
	Fields []string `json:"fields"`
}

// Label is the value that a combination has on one axis, as people write it.
type Label struct {
	Axis  string `json:"axis"`
	Value string `json:"value"`
}

func (l Label) String() string { return l.Axis + "=" + l.Value }

// NameOf is how people call a combination, such as "rate=500, store=etcd".
func NameOf(labels []Label) string {
	if len(labels) == 0 {
		return "the template"
	}
	words := make([]string, len(labels))
	for i, label := range labels {
		words[i] = label.String()
	}
	return strings.Join(words, ", ")
}

// Trial is one combination in one block.
type Trial struct {
	Block       int       `json:"block"`
	Combination int       `json:"combination"`
	Attempts    []Attempt `json:"attempts"`
}

// Attempt is a run that has ended. The last one of a trial is what counts.
type Attempt struct {
	Run string `json:"run"`
	UID string `json:"uid"`
	// Prefix begins the names of the trial's workloads in the run, where the run has those of several combinations.
	Prefix  string  `json:"prefix,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Reasons of an outcome that is not Valid.
	Reasons []string `json:"reasons,omitempty"`
	// Adopted says that an earlier suite made the run.
	Adopted bool `json:"adopted,omitempty"`
}

// Adoption is what a suite takes over from an earlier one of the same name, which was deleted.
type Adoption struct {
	Suite string `json:"suite,omitempty"` // the earlier one's UID; "" if there was none with such runs
	Seed  uint64 `json:"seed,omitempty"`  // of the earlier one
	// Changed says that the earlier one had another number of trials, compared something else, or had other objectives; or that
	// it was so when that one took over runs.
	Changed bool `json:"changed,omitempty"`
	// Baselines are the names of those that were taken over as well, as they were for the earlier suite.
	Baselines []string `json:"baselines,omitempty"`
	// Trials have the attempts that are adopted, of blocks that may have no other trials yet.
	Trials []Trial `json:"trials,omitempty"`
}

// Compare is what a report compares. An empty By is each axis, and no Metrics are all.
type Compare struct {
	By      string   `json:"by,omitempty"`
	Metrics []string `json:"metrics,omitempty"`
	// Growth is the axis with which the throughput grows; "" is none.
	Growth string `json:"growth,omitempty"`
	// Despite are fields of a fingerprint in which runs that are compared may differ beside the axis.
	Despite []string `json:"despite,omitempty"`
}

// Objective is a bound that figures of some combinations have to keep.
type Objective struct {
	plan.Objective
	Basis string `json:"basis"` // of internal/report
	// Against names a baseline of another suite that the figures are compared with; "" is none. The bound is then of the ratio.
	Against string `json:"against,omitempty"`
	// Text is the objective for people.
	Text string `json:"text"`
	// Subjects are the combinations that it is for.
	Subjects []Subject `json:"subjects"`
}

// Subject is a combination, and the one that it is compared with, if it is compared with one. The bound is then of the ratio.
type Subject struct {
	Combination int  `json:"combination"`
	Baseline    *int `json:"baseline,omitempty"`
}

// Outcome is how a run ended.
type Outcome string

// The outcomes of a run.
const (
	Valid    Outcome = "Valid"
	NotValid Outcome = "NotValid" // it has numbers that may not be believed
	Failed   Outcome = "Failed"   // it has none
)

// Read reads a manifest, and refuses one that contradicts itself.
func Read(document []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(document, m); err != nil {
		return nil, fmt.Errorf("the manifest can't be read: %w", err)
	}
	if m.Format != Format && m.Format != FormatShared {
		return nil, fmt.Errorf("the manifest has format %d, and this kvbench reads the formats %d and %d", m.Format, Format, FormatShared)
	}
	if m.Suite.UID == "" {
		return nil, errors.New("the manifest names no suite")
	}
	if m.Confidence == 0 {
		m.Confidence = Confidence
	}
	if m.Confidence < Confidence || m.Confidence >= 1 {
		return nil, fmt.Errorf("the manifest has the confidence %v", m.Confidence)
	}
	for _, axis := range m.Axes {
		if len(axis.Values) == 0 {
			return nil, fmt.Errorf("the axis %s has no values", axis.Name)
		}
	}
	if m.Compare.Growth != "" && !slices.ContainsFunc(m.Axes, func(a Axis) bool { return a.Name == m.Compare.Growth }) {
		return nil, fmt.Errorf("the throughput is to grow with the axis %s, which isn't there", m.Compare.Growth)
	}
	for i, labels := range m.Combinations {
		if len(labels) != len(m.Axes) {
			return nil, fmt.Errorf("combination %d has %d labels, and there are %d axes", i, len(labels), len(m.Axes))
		}
	}
	for i, trial := range m.Trials {
		if trial.Block < 0 || trial.Block >= m.Blocks || trial.Combination < 0 || trial.Combination >= len(m.Combinations) {
			return nil, fmt.Errorf("trial %d is of block %d and combination %d, which aren't there", i, trial.Block, trial.Combination)
		}
	}
	m.Search.complete()
	if err := m.Search.check(m.Axes, len(m.Combinations)); err != nil {
		return nil, err
	}
	for _, o := range m.Objectives {
		if (o.AtMost == nil) == (o.AtLeast == nil) {
			return nil, fmt.Errorf("the objective %q has not one bound", o.Text)
		}
		for _, subject := range o.Subjects {
			if (subject.Baseline != nil || o.Against != "") && o.Basis == report.BasisRun {
				return nil, fmt.Errorf("the objective %q compares with a baseline, and is judged by runs", o.Text)
			}
			for _, combination := range subject.Indices() {
				if combination < 0 || combination >= len(m.Combinations) {
					return nil, fmt.Errorf("the objective %q is for combination %d, which isn't there", o.Text, combination)
				}
			}
		}
	}
	return m, nil
}

// Indices are the combination's, and the baseline's if there is one.
func (s Subject) Indices() []int {
	if s.Baseline == nil {
		return []int{s.Combination}
	}
	return []int{s.Combination, *s.Baseline}
}
