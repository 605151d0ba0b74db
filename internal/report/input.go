package report

import (
	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// Input is everything that a report is made of.
type Input struct {
	Plan          *plan.Plan
	PlanSHA256    string
	Workloads     map[string]*Measured // by name; absent when it has no start
	Loadings      map[string]*Loaded   // by workload; absent when nothing was loaded
	Faults        []bundle.FaultLine
	Topology      topology
	ObserverClock clocksSeen
	Usages        allUsages
	Repairs       []Repair
	// Problems are what was found wrong while the files were read.
	Problems []Reason
}

// Measured is what the workers of one workload recorded, merged.
type Measured struct {
	clock     workloadClock
	latencies *latencies
	timeline  *timeline
	workers   []*selfOf // those that left complete files, by index
}

// Loaded is what the loaders of one workload recorded, merged.
type Loaded struct {
	insert                   *hdr.PackedHistogram
	records                  int64
	batch                    int
	startedNanos, endedNanos int64
	loaders                  []*selfOf // those that left complete files, by index
	problems                 []Reason  // with their files, and of loaders that were started again
}
