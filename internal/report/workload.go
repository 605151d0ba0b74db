package report

import "github.com/kvbench/kvbench/internal/plan"

// Workload is one measurement.
type Workload struct {
	Name       string            `json:"name"`
	Preset     string            `json:"preset"`
	Properties map[string]string `json:"properties"`
	// Records is how many there are when the workload begins, as far as the run loaded them.
	Records int64 `json:"records"`
	Load    Load  `json:"load"`
	// Loading is the load phase; null when the workload measured what was there.
	Loading *Loading `json:"loading"`
	// StartedAt is the measurement's start, the end of the warm-up; null when it never
	// started.
	StartedAt *string `json:"startedAt"`
	// DurationMicros is the measurement's length, without warm-up and cool-down.
	DurationMicros int64 `json:"durationMicros"`
	// Intended counts the operations that were intended in the measurement, and is the sum of
	// the four below, whenever they ended. A read-modify-write is one; its parts appear among
	// Operations only. NeverStarted are those that waited for a slot until the run ended: the
	// store's delay.
	Intended     int64 `json:"intended"`
	Succeeded    int64 `json:"succeeded"`
	Failed       int64 `json:"failed"`
	Unknown      int64 `json:"unknown"`
	NeverStarted int64 `json:"neverStarted"`
	// Completed are the successes that ended in the measurement, whenever they were intended:
	// what the store did in that time. Throughput is these per second. Succeeded differs by
	// what was under way or waited for a slot at the begin and at the end.
	Completed  int64       `json:"completed"`
	Throughput float64     `json:"throughput"`
	Operations []Operation `json:"operations"`
	// ResponseTimeCensored: some operations never started and have no response time, so all
	// percentiles, maximums and means of response times are lower bounds.
	ResponseTimeCensored bool `json:"responseTimeCensored"`
	// Saturated: the store could not take the load, for longer than after a pause, and the generator
	// could. SaturatedSeconds is in how many seconds of workers outside fault windows most operations
	// waited for it. A closed loop waits by itself, and has none.
	Saturated        bool  `json:"saturated"`
	SaturatedSeconds int64 `json:"saturatedSeconds"`
	// OverRange are times above the histograms' end, 600 s, of the whole run: they count as
	// that, so percentiles that come near it are lower bounds, and so is the mean.
	OverRange int64 `json:"overRange"`
	// Errors are those of the whole run of the workload, warm-up and cool-down included.
	Errors    []ErrorCount `json:"errors"`
	Generator Generator    `json:"generator"`
	// Usage is what the store's members used; null when nobody tells.
	Usage *Usage `json:"usage"`
	// Trend is null where the load changes, or where a fault or the end comes within half a minute.
	Trend  *Trend   `json:"trend"`
	Series []Second `json:"series"`
}

// Load is how load was made.
type Load struct {
	Model string `json:"model"` // "open" or "closed"
	// Rate is operations/s over all workers, the highest if it changes; 0 in a closed loop.
	// Shape says how it changes, from the measurement's start on; null if it doesn't.
	Rate  float64     `json:"rate"`
	Shape *plan.Shape `json:"shape"`
	// Trace is what was replayed, and null otherwise. Rate is then that of its busiest second.
	Trace       *plan.Trace `json:"trace"`
	Arrivals    string      `json:"arrivals"`
	Workers     int         `json:"workers"`
	Threads     int         `json:"threads"`     // of one worker, in a closed loop and while loading
	MaxInFlight int         `json:"maxInFlight"` // over all workers; 0 in a closed loop
	// Connections is how many of each worker to each member operations may share; 0 where each operation
	// under way, or each thread, has its own.
	Connections int `json:"connections"`
	// RequestedOperations bounds a measurement that is not bounded by time; else 0.
	RequestedOperations    int64 `json:"requestedOperations"`
	WarmupMicros           int64 `json:"warmupMicros"`
	CooldownMicros         int64 `json:"cooldownMicros"`
	OperationTimeoutMicros int64 `json:"operationTimeoutMicros"`
	// UpdateWrites is "record" when an update rewrites all fields, else "fields".
	UpdateWrites string `json:"updateWrites"`
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
	// Valid says whether its throughput and latencies may be believed, and InvalidReasons why
	// not: what kept the loaders from their work. The measurement is judged by itself.
	Valid          bool     `json:"valid"`
	InvalidReasons []Reason `json:"invalidReasons"`
	Records        int64    `json:"records"`
	DurationMicros int64    `json:"durationMicros"`
	Throughput     float64  `json:"throughput"`
	// Batch is how many records were inserted with one request at most.
	Batch int `json:"batch"`
	// Insert is the service time of the successful inserts; null when there was none. A record of
	// a batch has that of its request.
	Insert *Latency `json:"insert"`
	// Errors are inserts that failed and were tried again.
	Errors []ErrorCount `json:"errors"`
}

// Operation is one kind of operation with one outcome: those that were intended in the
// measurement, whenever they ended.
type Operation struct {
	Operation string `json:"operation"` // YCSB's name
	Outcome   string `json:"outcome"`   // ok, failed, unknown
	Count     int64  `json:"count"`
	// ResponseTime counts from the intended start; null in a closed loop.
	ResponseTime *Latency `json:"responseTime"`
	// WaitTime is from the intended start to the send: for a free slot, or for the generator.
	// Of each operation it is the response time without the service time; null in a closed
	// loop, and where all were parts of others.
	WaitTime *Latency `json:"waitTime"`
	// ServiceTime counts from the send.
	ServiceTime *Latency `json:"serviceTime"`
}

// ErrorCount counts operations that did not succeed, by code.
type ErrorCount struct {
	Operation string `json:"operation"`
	Outcome   string `json:"outcome"`
	Code      string `json:"code"`
	Count     int64  `json:"count"`
	Example   string `json:"example"`
}

// Second is one second of the series, by the operations' intended time.
type Second struct {
	Second   int64  `json:"second"` // from the measurement's start; negative in the warm-up
	Phase    string `json:"phase"`
	Intended int64  `json:"intended"`
	OK       int64  `json:"ok"`
	Failed   int64  `json:"failed"`
	Unknown  int64  `json:"unknown"`
	// LimitedBins is in how many of its 100 bins of 10 ms the bound, maxInFlight, was reached.
	LimitedBins int `json:"limitedBins"`
	// P50Micros and P99Micros are of the successful operations: response time in an
	// open loop, service time in a closed one; null when nothing succeeded.
	P50Micros *int64 `json:"p50Micros"`
	P99Micros *int64 `json:"p99Micros"`
}

// Values of Second.Phase.
const (
	PhaseWarmup      = "warmup"
	PhaseMeasurement = "measurement"
	PhaseCooldown    = "cooldown"
)

// Generator is what the load generator knows of itself, over the measurement.
type Generator struct {
	// IntendedRate and AchievedRate are the operations/s that were intended, and those of them
	// that were sent at most 250 ms late, over the seconds outside fault windows in which no operation
	// waited in the worker's queue, for a slot or for a place on a connection, and, in a measurement of
	// operations, before the last was intended.
	// Null when there is none, or in a closed loop.
	IntendedRate *float64 `json:"intendedRate"`
	AchievedRate *float64 `json:"achievedRate"`
	// JudgedSeconds is how many seconds of workers could be judged: all but those in which operations
	// waited while nobody tells of the worker's cores.
	JudgedSeconds int64 `json:"judgedSeconds"`
	// CoreShare is what share of the cores that it may use the worker used or waited for whose share is
	// the largest. Null where the kernel doesn't say.
	CoreShare *float64 `json:"coreShare"`
	// SendLag is from an operation's intended time to its send, or until it waits for a
	// free slot: a part of the response time that is not the store's. Null in a closed
	// loop.
	SendLag *Latency `json:"sendLag"`
	// ArrivalsDistance is the Kolmogorov–Smirnov distance of the arrivals of the worker whose
	// is the largest from their law, beyond what lags of up to 1 ms explain. Null in a closed loop.
	ArrivalsDistance *float64 `json:"arrivalsDistance"`
	// Late counts operations that were sent more than 10 ms after their intended time, for
	// whatever reason. Those that were never sent are Workload.NeverStarted.
	Late int64 `json:"late"`
	// Limited counts operations that waited for a free slot: the store's delay, where the generator had cores to spare.
	// LimitedBins is in how many 10 ms of the measurement such a one was intended: in which
	// the bound, maxInFlight, was reached.
	Limited     int64 `json:"limited"`
	LimitedBins int64 `json:"limitedBins"`
	InFlightMax int   `json:"inFlightMax"` // of one worker
	// Connections are those that operations shared; null where each operation under way had one of its
	// own, or the store's client has connections for all.
	Connections *Connections `json:"connections"`
	// The longest garbage collection pauses and CPU throttling in one second of a
	// worker, and their sums. What a worker could not measure is null, here and below, and
	// Report.NotJudged says so.
	GCPauseMaxMicros int64 `json:"gcPauseMaxMicros"`
	GCPauseMicros    int64 `json:"gcPauseMicros"`
	// GCCPUMicros is the garbage collector's CPU time, and GCCPUMaxMicros the most in one second
	// of a worker.
	GCCPUMaxMicros     int64  `json:"gcCPUMaxMicros"`
	GCCPUMicros        int64  `json:"gcCPUMicros"`
	ThrottledMaxMicros *int64 `json:"throttledMaxMicros"`
	ThrottledMicros    *int64 `json:"throttledMicros"`
	// StoppedMaxMicros is the longest time in which a worker's process neither ran nor waited
	// for a core.
	StoppedMaxMicros *int64 `json:"stoppedMaxMicros"`
	// CoreWaitMicros is how long threads of all workers waited for a core while others had it,
	// added up, and CoreWaitMaxMicros the longest wait of one. In a closed loop the latencies
	// contain it. Null where the kernel doesn't say.
	CoreWaitMicros    *int64 `json:"coreWaitMicros"`
	CoreWaitMaxMicros *int64 `json:"coreWaitMaxMicros"`
	// WriteMaxMicros is the longest that a worker's disk took for the rows of a second.
	WriteMaxMicros int64 `json:"writeMaxMicros"`
}

// Fault is one injection and what it did to clients.
type Fault struct {
	Name     string `json:"name"`
	Workload string `json:"workload"`
	Action   string `json:"action"`
	Target   string `json:"target"` // the member that was hit; empty when it came to none
	Role     string `json:"role"`   // what was asked for; empty for a member by index
	// DueAt is when the plan wanted it, RequestedAt when the controller began.
	DueAt       *Moment `json:"dueAt"`
	RequestedAt *Moment `json:"requestedAt"`
	// InjectedAt is a bracket, widened by the clocks' bound; null when it was not injected.
	InjectedAt *Bracket `json:"injectedAt"`
	// Late: it was asked for more than 2 s after it was due.
	Late bool `json:"late"`
	// Effective says that the fault is seen to have worked. EffectiveAt is the first
	// sign of it, EffectiveBy which one: "operation" or "topology".
	Effective   bool    `json:"effective"`
	EffectiveAt *Moment `json:"effectiveAt"`
	EffectiveBy *string `json:"effectiveBy"`
	// HealedAt is when the observer saw all members steady again.
	HealedAt *Moment `json:"healedAt"`
	// P99BeforeMicros is of the successful operations before; OverdueMicros the response
	// time above which an operation counts as without service.
	P99BeforeMicros *int64 `json:"p99BeforeMicros"`
	OverdueMicros   *int64 `json:"overdueMicros"`
	// OutageMicros is how long clients were without service, from DownAt to BackAt: the longest
	// outage of any of Series. It is 0 when there was none, null when the fault was not injected. Censored: a
	// lower bound, as the end of one is not known, or the target wasn't whole again.
	OutageMicros   *int64 `json:"outageMicros"`
	OutageCensored bool   `json:"outageCensored"`
	// OutageErrorMicros is how far the outage may be off because the generator sent late
	// around its begin and its end.
	OutageErrorMicros *int64  `json:"outageErrorMicros"`
	DownAt            *Moment `json:"downAt"`
	BackAt            *Moment `json:"backAt"`
	LimitedByClient   bool    `json:"limitedByClient"`
	// Outages is how many times at least one of Series was away, and DownTotalMicros how long these were, all
	// together. Null when the fault was not injected, as the next two are empty then.
	Outages         *int   `json:"outages"`
	DownTotalMicros *int64 `json:"downTotalMicros"`
	// Series is what the outage was judged by. NotResolved are those that had too few operations to be judged
	// but with others.
	Series      []FaultSeries `json:"series"`
	NotResolved []SeriesName  `json:"notResolved"`
	// AwayBefore: the service was away already when the fault was injected. The outage counts from then
	// on, and it isn't known what of it is this fault's.
	AwayBefore bool `json:"awayBefore"`
	// LongestGapMicros is the longest time without any success.
	LongestGapMicros *int64 `json:"longestGapMicros"`
	LeaderBefore     string `json:"leaderBefore"`
	LeaderAfter      string `json:"leaderAfter"`
	TermBefore       uint64 `json:"termBefore"`
	// TermAfter is the leader's. It is that before only where its members told no later one.
	TermAfter uint64 `json:"termAfter"`
	// RecordsBefore is how many records the target had just before, RecordsLost how many of
	// them at least were gone when it was back. Null where a record is on several members, or
	// the target didn't come back; RecordsLost also where clients delete.
	RecordsBefore *int64 `json:"recordsBefore"`
	RecordsLost   *int64 `json:"recordsLost"`
	Error         string `json:"error"`
}

// Values of Fault.EffectiveBy.
const (
	ByOperation = "operation"
	ByTopology  = "topology"
)
