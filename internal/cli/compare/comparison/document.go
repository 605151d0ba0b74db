// Package comparison compares runs, suites and baselines. The statistics are those of internal/suite/findings. It is pure: the
// same sources give the same document.
package comparison

import (
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Format counts the changes of the document that an older reader would misunderstand.
const Format = 1

// Document is what kubectl kvbench compare prints with -o json.
type Document struct {
	Format int `json:"format"`
	// Verdict of the gate: Passed, Failed or Unknown. It is absent where no gate was asked for.
	Verdict string `json:"verdict,omitempty"`
	// Margin is by which part a figure may be worse than the base's, such as 0.05. It is absent without a gate.
	Margin float64 `json:"margin,omitempty"`
	// Confidence of all intervals, at least, such as 0.95.
	Confidence float64 `json:"confidence"`
	// Base is what all others are compared with.
	Base     Side       `json:"base"`
	Compared []Compared `json:"compared"`
	// Warnings have to be known beside the figures.
	Warnings []string `json:"warnings"`
}

// Side is a run, a suite, a baseline, or what was imported of another tool.
type Side struct {
	// Argument is what the user wrote.
	Argument string `json:"argument"`
	Kind     string `json:"kind"` // run, suite, baseline or imported
	// Tool is whose figures were imported. Nobody knows whether they are valid.
	Tool string `json:"tool,omitempty"`
	// Namespace, Name and UID are of the run or of the suite. Of a baseline they are of the suite that was kept, and Name of what was
	// imported is the tool's file.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	UID       string `json:"uid,omitempty"`
}

// Compared is one side beside the base.
type Compared struct {
	Side
	// Comparable says that there is a pair, and that all pairs are comparable. Of what was imported nobody knows, so it is false.
	Comparable bool `json:"comparable"`
	// Why the two have no pairs, if they have none.
	Why   string `json:"why,omitempty"`
	Pairs []Pair `json:"pairs"`
	// OnlyHere and OnlyInBase are combinations without a counterpart.
	OnlyHere   []Combination `json:"onlyHere,omitempty"`
	OnlyInBase []Combination `json:"onlyInBase,omitempty"`
}

// Combination has a value on each axis of its suite. That of a run has none.
type Combination []manifest.Label

// Pair is a combination, and the base's that it is compared with.
type Pair struct {
	Combination Combination `json:"combination"`
	Base        Combination `json:"base"`
	// Trials and BaseTrials count those with valid numbers.
	Trials     int `json:"trials"`
	BaseTrials int `json:"baseTrials"`
	// Outcome is Comparable, NotComparable, or Imported where nobody knows.
	Outcome string `json:"outcome"`
	// Why they are not comparable, where it is not by Differences.
	Why string `json:"why,omitempty"`
	// Differences keep the two from being compared. The fields are JSON pointers, as in docs/guide/compare.md.
	Differences []fingerprint.Difference `json:"differences,omitempty"`
	// Accepted are differences that the user accepted.
	Accepted []fingerprint.Difference `json:"accepted,omitempty"`
	// Figures are in the order of how bad they are, the worst first.
	Figures []Figure `json:"figures"`
}

// Values of Pair.Outcome.
const (
	Comparable    = "Comparable"
	NotComparable = "NotComparable"
	// Imported figures have ratios, and no verdict.
	Imported = "Imported"
)

// Figure is one figure of both.
type Figure struct {
	Workload  string `json:"workload"`
	Operation string `json:"operation,omitempty"`
	Metric    string `json:"metric"` // throughput, errors, p50, p95, p99, p999, outage or recordsLost
	// Time of a percentile: response in an open loop, service in a closed one, unsaid of a tool that doesn't tell; absent of other
	// metrics.
	Time string `json:"time,omitempty"`
	// Statistic of the outages of a workload's faults: max.
	Statistic string `json:"statistic,omitempty"`
	// Unit of Value and Base: 1/s, s (seconds), 1 (a part of 1) or records.
	Unit           string `json:"unit"`
	HigherIsBetter bool   `json:"higherIsBetter"`
	// Value and Base are medians of the valid trials, with their intervals where there are trials enough.
	Value findings.Estimate `json:"value"`
	Base  findings.Estimate `json:"base"`
	// Ratio is how many times Base the value is: the Hodges-Lehmann estimate of trials that aren't paired, with Moses' interval.
	Ratio findings.Estimate `json:"ratio"`
	// Change is Better or Worse where the whole interval of the ratio says so, Same where 1 is in it, and Unknown without an
	// interval.
	Change string `json:"change"`
	// Objective is what the gate asks of the figure, for people; absent of a figure that is not judged.
	Objective string `json:"objective,omitempty"`
	// Verdict is Passed, Failed or Unknown; absent of a figure that is not judged.
	Verdict string `json:"verdict,omitempty"`
	// Why there is no ratio, no interval or no verdict.
	Why string `json:"why,omitempty"`
}

// Values of Figure.Change.
const (
	Better  = "Better"
	Worse   = "Worse"
	Same    = "Same"
	Unknown = "Unknown"
)
