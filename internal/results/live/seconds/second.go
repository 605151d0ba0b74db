// Package seconds tells each second of a measurement as soon as all workers have sent it, from the files that they are writing. It is
// pure: whoever asks gives it what the files have.
//
// The seconds are live, and no figure of a report comes from them. They are told once, and don't change: a server that has begun anew
// tells the same ones from the same files.
package seconds

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// Second is one second of the results server's clock of a workload, as all its workers have sent it. Operations count in the second
// in which they ended, whenever they were intended: what is told of a second doesn't change any more.
type Second struct {
	Workload string `json:"workload"`
	// UnixSeconds is when it began. Second is the same from the measurement's start, rounded as the report does, and negative in the
	// warm-up.
	UnixSeconds int64 `json:"unixSeconds"`
	Second      int64 `json:"second"`
	// MissingWorkers have not told of this second, or of this one and others together. Nothing of them is in the figures.
	MissingWorkers []int `json:"missingWorkers,omitempty"`
	// Intended are the operations that the second's arrivals brought; in a closed loop, those that were sent.
	Intended   int64       `json:"intended"`
	Operations []Operation `json:"operations"`
	// Heat has the successes by latency: band and number, band and number. The bands are those of charts.json.
	Heat      []int64   `json:"heat"`
	Errors    []Error   `json:"errors,omitempty"`
	Generator Generator `json:"generator"`
	Store     *Members  `json:"store,omitempty"` // null if it is that of the second before
}

// Operation has the operations of one kind and outcome that ended in the second.
type Operation struct {
	Operation string `json:"operation"`
	Outcome   string `json:"outcome"`
	Count     int64  `json:"count"`
	// Part says that they are parts of operations of another kind.
	Part     bool            `json:"part,omitempty"`
	Response *report.Latency `json:"responseTime,omitempty"` // null in a closed loop
	Service  *report.Latency `json:"serviceTime,omitempty"`
}

// Error is how often a code was seen.
type Error struct {
	Operation string `json:"operation"`
	Outcome   string `json:"outcome"`
	Code      string `json:"code"`
	Count     int64  `json:"count"`
}

// Generator is what the workers said of themselves: the worst of them. What no worker told is null.
type Generator struct {
	LagMaxMicros  *int64   `json:"lagMaxMicros"`
	InFlightMax   *int64   `json:"inFlightMax"`
	GCPauseMicros *int64   `json:"gcPauseMicros"`
	CoreShare     *float64 `json:"coreShare"` // of its cores that a worker used or waited for
}

// Members is what the observer saw of the members. Without members nobody looked.
type Members struct {
	Leader  string   `json:"leader,omitempty"`
	Term    uint64   `json:"term,omitempty"`
	Members []Member `json:"members"`
}

// Member is one member of the store.
type Member = wire.LiveMember
