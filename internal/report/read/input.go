package read

import (
	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/clocks"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
	"github.com/kvbench/kvbench/internal/report/telemetry"
	"github.com/kvbench/kvbench/internal/report/timeline"
	"github.com/kvbench/kvbench/internal/report/topology"
	"github.com/kvbench/kvbench/internal/report/usage"
)

// Input is everything that a report is made of.
type Input struct {
	Plan          *plan.Plan
	PlanSHA256    string
	Workloads     map[string]*Measured // by name; absent when it has no start
	Resets        map[string]*Reset    // by workload; absent when nothing was emptied, or nobody told
	Loadings      map[string]*Loaded   // by workload; absent when nothing was loaded
	Faults        []bundle.FaultLine
	Topology      topology.Topology
	ObserverClock clocks.Observer
	Usages        usage.Sources
	Repairs       []report.Repair
	Environment   *bundle.Environment // nil if nobody told
	// Problems are what was found wrong while the files were read.
	Problems []report.Reason
}

// Measured is what the workers of one workload recorded, merged.
type Measured struct {
	Clock     instant.Clock
	Latencies *latency.Latencies
	Timeline  *timeline.Timeline
	Workers   []*telemetry.Worker // those that left complete files, by index
}

// Reset is when the store was emptied before a workload.
type Reset struct{ Started, Ended instant.Unix }

// Loaded is what the loaders of one workload recorded, merged.
type Loaded struct {
	Insert         *hdr.PackedHistogram
	Records        int64
	Batch          int
	Started, Ended instant.Unix
	Loaders        []*telemetry.Worker // those that left complete files, by index
	Problems       []report.Reason     // with their files, and of loaders that were started again
}
