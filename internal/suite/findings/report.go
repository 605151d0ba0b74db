// Package findings computes a suite's report from its manifest and the reports of its runs. It is pure: the same manifest and
// reports give the same bytes.
package findings

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Format counts the changes of the suite's report that an older reader would misunderstand.
const Format = 1

// Report is what a suite found.
type Report struct {
	Format int           `json:"format"`
	Suite  manifest.Name `json:"suite"`
	Seed   uint64        `json:"seed"`
	// Reuse is Store where combinations shared stores; absent where each run had one of its own.
	Reuse string `json:"reuse,omitempty"`
	// Complete says that all trials have ended. A report of a suite that is under way has those that have.
	Complete bool            `json:"complete"`
	Axes     []manifest.Axis `json:"axes"`
	Blocks   int             `json:"blocks"`
	// Confidence is that of all intervals, at least.
	Confidence float64 `json:"confidence"`
	// Width is how well the suite knows what it was to find out; absent of a suite with a number of trials.
	Width *Width `json:"width,omitempty"`
	// Verdict says whether all Objectives are kept. Both are absent where the suite has none.
	Verdict    string      `json:"verdict,omitempty"`
	Objectives []Objective `json:"objectives,omitempty"`
	// Baselines are what the suite is compared with, beside its own combinations.
	Baselines []Against `json:"baselines,omitempty"`
	// Adoption is what the suite took over from an earlier one; absent if that is nothing.
	Adoption     *Adoption     `json:"adoption,omitempty"`
	Combinations []Combination `json:"combinations"`
	// Search is what a search for the highest rate found; absent of a suite that doesn't search.
	Search *Search `json:"search,omitempty"`
	// Comparisons are of each value of an axis with the axis' first one, all else alike.
	Comparisons []Comparison `json:"comparisons"`
	// Growth says how the throughput grows with an axis; absent if that was not asked for.
	Growth []Growth `json:"growth,omitempty"`
	// Warnings have to be known beside the numbers.
	Warnings []string `json:"warnings"`
	// Trials are all, with each attempt, in the order in which they were run.
	Trials []manifest.Trial `json:"trials"`
}

// Against names a baseline, as the suite's objectives do, and says of which suite it is.
type Against struct {
	Name  string        `json:"name"`
	Suite manifest.Name `json:"suite"`
}

// Combination is what the trials of one combination found.
type Combination struct {
	Labels []manifest.Label `json:"labels"`
	// Valid counts the trials with valid numbers, Unusable those that have ended without, and Left the others.
	Valid    int `json:"valid"`
	Unusable int `json:"unusable"`
	Left     int `json:"left"`
	// Absent says that the search found no such rate, since the objectives were kept at each that it tried.
	Absent  bool         `json:"absent,omitempty"`
	Metrics []Metric     `json:"metrics"`
	trials  map[int]*Run // that have ended, by block; nil for one without valid numbers
}

// Name is how people call the combination.
func (c *Combination) Name() string { return manifest.NameOf(c.Labels) }

// Metric is one figure, with its value in each valid trial.
type Metric struct {
	figures.Name
	Unit   string   `json:"unit"`
	Values []Value  `json:"values"`
	Median Estimate `json:"median"`
}

// Value is of one trial.
type Value struct {
	Block int     `json:"block"`
	Value float64 `json:"value"`
	// Censored says that it is a lower bound.
	Censored bool `json:"censored,omitempty"`
}

// Estimate is what trials say of a value. Low and High are the ends of an interval of Confidence, and absent where the trials
// are too few for one. An end that isn't bounded is null. So is a value that depends on figures which are lower bounds;
// AtLeast is then the least that it can be.
type Estimate struct {
	Value      *float64 `json:"value"`
	AtLeast    *float64 `json:"atLeast,omitempty"`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Confidence float64  `json:"confidence,omitempty"`
	Trials     int      `json:"trials"`
}

// Comparison is by which factor a figure differs between two combinations that differ in one axis.
type Comparison struct {
	Axis    string           `json:"axis"`
	Value   string           `json:"value"`
	Against string           `json:"against"`
	With    []manifest.Label `json:"with"` // on the other axes
	figures.Name
	// Ratio is how many times the figure against which it is compared it is, from the blocks in which both are valid.
	Ratio Estimate `json:"ratio"`
	one   *Combination
	// Why there is no ratio, if there is none.
	Why string `json:"why,omitempty"`
	// Differences beside the axis, for which the two can't be compared.
	Differences []fingerprint.Difference `json:"differences,omitempty"`
}

// JSON is the report as docs/reference/suite.schema.json describes it. The same report gives the same bytes.
func (r *Report) JSON() ([]byte, error) { return report.Document(r) }
