// Package report is the schema of a run's report: the types of docs/reference/report.schema.json, the reasons for which
// a run is not valid, and the bounds of what a report holds. It computes nothing. Each room below it makes, judges or
// renders a part of a report, and imports this package; this package imports none of them.
//
// Every duration is in microseconds and its key ends in Micros. Instants are given twice,
// from the measurement's start (the end of the warm-up) and as UTC on the results
// server's clock.
package report

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// Format is the version of the report's JSON, docs/reference/report.schema.json.
const Format = 1

// Report is what a run found.
type Report struct {
	Format int `json:"format"`
	// Kvbench is the version of kvbench that ran this; "" where its programs were built without one.
	Kvbench string `json:"kvbench,omitempty"`
	// Valid says whether the numbers may be believed: InvalidReasons is empty.
	Valid          bool     `json:"valid"`
	InvalidReasons []Reason `json:"invalidReasons"`
	// NotJudged are reasons that nobody could look for. They may be there or not.
	NotJudged []Reason `json:"notJudged"`
	// Remarks have to be known beside the numbers. They are no reasons against them.
	Remarks []Reason `json:"remarks"`
	// Verdict says whether all Objectives are kept. It is absent where there are none.
	Verdict    string      `json:"verdict,omitempty"`
	Objectives []Objective `json:"objectives,omitempty"`
	Run        plan.Run    `json:"run"`
	Plan       PlanDigest  `json:"plan"`
	Seed       uint64      `json:"seed"`
	Store      Store       `json:"store"`
	// Placement is where members and workers had to be; absent where the scheduler had all freedom.
	Placement *plan.Placement `json:"placement,omitempty"`
	// Environment is where the pods were when the results were collected; absent if nobody told.
	Environment *bundle.Environment `json:"environment,omitempty"`
	// Files are those that the run was given, as they were when it was admitted.
	Files     []plan.File `json:"files"`
	Clock     Clock       `json:"clock"`
	Workloads []Workload  `json:"workloads"`
	// Totals are sums over all steps; null if one of them isn't known.
	Totals *Totals `json:"totals"`
	Faults []Fault `json:"faults"`
	// Repairs were made for members that didn't come back by themselves.
	Repairs []Repair `json:"repairs"`
}

// PlanDigest identifies the plan that was run.
type PlanDigest struct {
	Format int    `json:"format"`
	SHA256 string `json:"sha256"` // of plan.json
	// Fingerprint is that of what was measured: runs of one plan have the same, whatever their names and seeds.
	Fingerprint string `json:"fingerprint"`
}

// Store is what was measured.
type Store struct {
	Name    string `json:"name"`
	Driver  string `json:"driver"`
	Mode    string `json:"mode"`
	Promise string `json:"promise"`
	// Security is what members asked of their clients: None, Auth or TLS.
	Security string `json:"security"`
	// Existing says that the store ran before. Version, Chart and Persistent are known of stores that kvbench
	// deployed from its catalog, and absent of all others.
	Existing bool   `json:"existing,omitempty"`
	Version  string `json:"version,omitempty"`
	Chart    string `json:"chart,omitempty"`
	// OwnChart is a chart that the run brought.
	OwnChart *OwnChart `json:"ownChart,omitempty"`
	// Values are those that the store was deployed with. Of a chart of the catalog they are all: the chart's own,
	// and the run's over them. Of OwnChart they are the run's alone. They are absent if nothing was deployed, and
	// in plans from before plans had them.
	Values     map[string]any `json:"values,omitempty"`
	Consensus  bool           `json:"consensus"`
	Persistent *bool          `json:"persistent,omitempty"`
	Members    []string       `json:"members"`
}

// OwnChart is a chart that a run brought: where it was read, and what its Chart.yaml says.
type OwnChart struct {
	Source  string `json:"source"`
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of the packed chart
}

// Clock is how well the writers' clocks agreed with the results server's.
type Clock struct {
	// BoundMicros is the largest error that any measuring worker, the observer or the
	// controller can have had. The faults' brackets are widened by the controller's error and by
	// the largest of the others. Null if no clock was compared.
	BoundMicros *int64 `json:"boundMicros"`
}

// Totals are how long the steps of a run took together, warm-ups and cool-downs apart.
type Totals struct {
	ResetMicros       int64 `json:"resetMicros"`
	LoadingMicros     int64 `json:"loadingMicros"`
	MeasurementMicros int64 `json:"measurementMicros"`
	// SumMicros is the sum of the three.
	SumMicros int64 `json:"sumMicros"`
}

// Repair is what an administrator would have had to do for a member.
type Repair struct {
	Time string `json:"time"` // RFC 3339, UTC
	What string `json:"what"`
}
