package report

import "github.com/kvbench/kvbench/internal/plan"

// Load is how load was made.
type Load struct {
	Model string `json:"model"` // "open" or "closed"
	// Rate is operations/s over all workers, the highest if it changes; 0 in a closed loop.
	// Shape says how it changes, from the measurement's start on; null if it doesn't.
	Rate  float64     `json:"rate"`
	Shape *plan.Shape `json:"shape"`
	// Trace is what was replayed; null if nothing was. Rate is then that of its busiest second.
	Trace       *Trace `json:"trace"`
	Arrivals    string `json:"arrivals"`
	Workers     int    `json:"workers"`
	Threads     int    `json:"threads"`     // of one worker, in a closed loop and while loading
	MaxInFlight int    `json:"maxInFlight"` // over all workers; 0 in a closed loop
	// Connections is how many connections each worker may share among its operations, to each member. It is 0 if
	// each operation under way, or each thread, has its own.
	Connections int `json:"connections"`
	// RequestedOperations bounds a measurement that is not bounded by time; else 0.
	RequestedOperations    int64 `json:"requestedOperations"`
	WarmupMicros           int64 `json:"warmupMicros"`
	CooldownMicros         int64 `json:"cooldownMicros"`
	OperationTimeoutMicros int64 `json:"operationTimeoutMicros"`
	// Clients are groups of threads with operations of their own; absent where all threads made the same mix.
	Clients []Clients `json:"clients,omitempty"`
	// UpdateWrites is "record" when an update rewrites all fields, else "fields".
	UpdateWrites string `json:"updateWrites"`
}

// Clients are a group of threads that made the same mix of operations, beside other groups. No other group made the same.
type Clients struct {
	Name       string   `json:"name"`
	Threads    int      `json:"threads"`    // of one worker
	Operations []string `json:"operations"` // YCSB's names
	// Throughput is the group's operations that were intended in the measurement and succeeded, for each second of it.
	Throughput float64 `json:"throughput"`
}

// Trace is a file of recorded requests that were made again.
type Trace struct {
	File    string  `json:"file"`
	SHA256  string  `json:"sha256"`
	Rows    int64   `json:"rows"`
	Stretch float64 `json:"stretch"` // every gap was so many times as long
}

// Values of Load.Model and Load.UpdateWrites.
const (
	ModelOpen    = "open"
	ModelClosed  = "closed"
	WritesRecord = "record"
	WritesFields = "fields"
)

// Loading is how the records came into the store.
type Loading struct {
	// Valid says whether the loading's throughput and latencies may be believed. InvalidReasons say what kept
	// the loaders from their work. The measurement is judged by itself.
	Valid          bool     `json:"valid"`
	InvalidReasons []Reason `json:"invalidReasons"`
	Records        int64    `json:"records"`
	DurationMicros int64    `json:"durationMicros"`
	Throughput     float64  `json:"throughput"`
	// Batch is how many records were inserted with one request at most.
	Batch int `json:"batch"`
	// Insert is the service time of the successful inserts; null if there was none. A record of
	// a batch has the service time of its request.
	Insert *Latency `json:"insert"`
	// Errors are inserts that failed and were tried again.
	Errors []ErrorCount `json:"errors"`
}
