package report

import "github.com/kvbench/kvbench/internal/plan"

// Objective is a bound that figures had to keep, and whether they did.
type Objective struct {
	plan.Objective
	// Text is the objective for people, such as "p99 of READ at most 20ms".
	Text string `json:"text"`
	// Basis is BasisRun: the run's own figures are compared with the bound.
	Basis string `json:"basis"`
	// Verdict is VerdictFailed if one of Judged has failed, VerdictPassed if all have passed, and VerdictUnknown otherwise.
	Verdict string `json:"verdict"`
	// Judged are the figures that the objective bounds.
	Judged []Judged `json:"judged"`
}

// Judged is one figure that an objective bounds.
type Judged struct {
	Workload  string `json:"workload,omitempty"`
	Operation string `json:"operation,omitempty"`
	// Value of the figure, in the unit of the metric. It is null if it isn't known. AtLeast is then the least that it can be,
	// if that is known.
	Value   *float64 `json:"value"`
	AtLeast *float64 `json:"atLeast,omitempty"`
	Verdict string   `json:"verdict"`
	// Why the verdict is unknown.
	Why string `json:"why,omitempty"`
}

// Values of Objective.Verdict.
const (
	VerdictPassed  = "Passed"
	VerdictFailed  = "Failed"
	VerdictUnknown = "Unknown"
)

// Values of Objective.Basis.
const (
	BasisRun    = "Run"
	BasisTrials = "Trials"
)
