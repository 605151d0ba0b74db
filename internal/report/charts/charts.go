// Package charts has what the charts of a run's page are drawn from, beside its report: latencies by step of time and by
// operation, percentile curves, the seconds around each fault, the members and what they used, errors over time, and the
// load generator's own condition. It is computed from the bundle alone, so the same bundle gives the same bytes.
//
// A figure of the report isn't repeated here. What both have, such as the operations of a second, comes from the same
// sums.
package charts

import (
	"encoding/json"
	"fmt"
)

// Format is the version of the document's JSON, docs/reference/charts.schema.json.
const Format = 1

// Charts is what the charts of a run are drawn from.
type Charts struct {
	Format    int        `json:"format"`
	Workloads []Workload `json:"workloads"`
}

// Workload has the charts of one measurement. Columns have a place for each step; steps follow each other without a gap.
type Workload struct {
	Name string `json:"name"`
	// StepSeconds is how long a step is: 1 up to an hour, else 30. Histograms of longer steps are merged, so that
	// their percentiles are exact.
	StepSeconds int `json:"stepSeconds"`
	// FirstStepMicros and LastStepMicros are for how much of the first and the last step operations were recorded: it may
	// be less. If there is one step, the two are the same.
	FirstStepMicros int64 `json:"firstStepMicros"`
	LastStepMicros  int64 `json:"lastStepMicros"`
	// FirstSecond is where the first step begins, in seconds from the measurement's start. It is negative in the warm-up.
	FirstSecond int64 `json:"firstSecond"`
	Steps       int   `json:"steps"`
	// MissingWorkers are those whose files the report could not use. They are in no chart.
	MissingWorkers []int `json:"missingWorkers"`
	// Counts are the operations of all kinds.
	Counts Counts `json:"counts"`
	// Operations are successes by kind, with parts of others, as in the report.
	Operations []Operation `json:"operations"`
	// Heat has the same successes as the report's seconds: of operations that were intended, without their parts.
	Heat Heat `json:"heat"`
	// Curves are over the measurement, by operation and outcome.
	Curves    []Curve   `json:"curves"`
	Errors    []Error   `json:"errors"`
	Generator Generator `json:"generator"`
	Members   []Member  `json:"members"`
	Leaders   []Leader  `json:"leaders"`
	Faults    []Fault   `json:"faults"`
	Loading   *Loading  `json:"loading"` // null where nothing was loaded
}

// Counts has operations by step. Completed are the successes that ended in the step; all others count by their intended time.
type Counts struct {
	Intended  []int64 `json:"intended"`
	OK        []int64 `json:"ok"`
	Failed    []int64 `json:"failed"`
	Unknown   []int64 `json:"unknown"`
	Completed []int64 `json:"completed"`
}

// Operation is the successes of one kind by step.
type Operation struct {
	Operation string  `json:"operation"`
	Count     []int64 `json:"count"`
	// Response counts from the intended start; null in a closed loop. Service counts from the send.
	Response *Percentiles `json:"response"`
	Service  *Percentiles `json:"service"`
}

// Percentiles are in microseconds, by step; null in a step without a success.
type Percentiles struct {
	P50  []*int64 `json:"p50Micros"`
	P95  []*int64 `json:"p95Micros"`
	P99  []*int64 `json:"p99Micros"`
	P999 []*int64 `json:"p999Micros"`
	Max  []*int64 `json:"maxMicros"`
}

// Values of Heat.Time and Curve.Time.
const (
	ResponseTime = "response"
	ServiceTime  = "service"
)

// Heat has the number of successes by step and by latency.
type Heat struct {
	Time string `json:"time"`
	// Bounds are the upper bounds of the bands, in microseconds.
	Bounds []int64 `json:"boundsMicros"`
	// Columns has a list for each step: band and number, band and number, in the order of the bands.
	Columns [][]int64 `json:"columns"`
}

// Curve is the latency by percentile.
type Curve struct {
	Operation string  `json:"operation"`
	Outcome   string  `json:"outcome"`
	Time      string  `json:"time"`
	Count     int64   `json:"count"`
	Points    []Point `json:"points"`
}

// Point of a Curve.
type Point struct {
	Percentile float64 `json:"percentile"`
	Micros     int64   `json:"micros"`
}

// Error is how often a code was seen, by step. Steps without it are left out.
type Error struct {
	Operation string  `json:"operation"`
	Outcome   string  `json:"outcome"`
	Code      string  `json:"code"`
	Step      []int   `json:"step"`
	Count     []int64 `json:"count"`
}

// Generator is what the workers said of themselves, by step: the worst of them. A value that no worker told is null.
type Generator struct {
	LagMax       []*int64   `json:"lagMaxMicros"` // from an operation's intended time to its send
	InFlightMax  []*int64   `json:"inFlightMax"`  // of one worker
	GCPauseMax   []*int64   `json:"gcPauseMicros"`
	CoreShareMax []*float64 `json:"coreShare"` // of its cores that a worker used or waited for
}

// Member is a member of the store during the workload.
type Member struct {
	Name string `json:"name"`
	// States follow each other. A state lasts until the next one begins.
	States []State `json:"states"`
	Usage  []Usage `json:"usage"`
}

// State is what an observer saw of a member.
type State struct {
	AtMicros int64  `json:"atMicros"` // from the measurement's start
	Role     string `json:"role"`
	Healthy  bool   `json:"healthy"`
	// Known is false where no observer looked for longer than a second.
	Known bool `json:"known"`
}

// Leader is who led from that instant on; "" if nobody did.
type Leader struct {
	AtMicros int64  `json:"atMicros"`
	Member   string `json:"member"`
	Term     uint64 `json:"term"`
	Steady   bool   `json:"steady"`
}

// Usage is what one source said of a member. Columns have a place for each sample, with null for what it didn't say.
type Usage struct {
	Source   string  `json:"source"` // "store", "kubelet" or "volume"
	AtMicros []int64 `json:"atMicros"`
	// Cores is the processor time for each second since the sample before; null if a new process began.
	Cores           []*float64 `json:"cores"`
	CollectorShare  []*float64 `json:"collectorShare"`
	ResidentBytes   []*int64   `json:"residentBytes"`
	WorkingSetBytes []*int64   `json:"workingSetBytes"`
	DataBytes       []*int64   `json:"dataBytes"`
}

// Fault is the time around an injection, bin by bin.
type Fault struct {
	Name string `json:"name"`
	// FromMicros is where the first bin begins, from the measurement's start, and BinMicros how long each is.
	FromMicros int64 `json:"fromMicros"`
	BinMicros  int64 `json:"binMicros"`
	// Intended are the operations that were intended in a bin, and Served those of them that succeeded in time: within
	// the report's overdueMicros.
	Intended []int64 `json:"intended"`
	Served   []int64 `json:"served"`
}

// Loading is how the records came into the store.
type Loading struct {
	// StartedAt is RFC 3339, UTC.
	StartedAt string `json:"startedAt"`
	// Sent are the requests of all loaders by second from the start on.
	Sent  []int64 `json:"sent"`
	Curve *Curve  `json:"curve"` // null if nothing was inserted
}

// JSON is the document. It has no white space, since it is for programs. The same charts give the same bytes.
func (c *Charts) JSON() ([]byte, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("writing the data of the charts: %w", err)
	}
	return append(data, '\n'), nil
}
