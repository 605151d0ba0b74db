package report

// Connections are those that the operations of an open loop share, added up over all workers.
type Connections struct {
	// Before is how many were made before the first operation. ConnectMeanMicros is how long one of
	// them took, on average; 0 without any.
	Before            int64 `json:"before"`
	ConnectMeanMicros int64 `json:"connectMeanMicros"`
	// Opened is how many were made in the measurement, to replace others.
	Opened int64 `json:"opened"`
	// Lost counts operations whose answer was lost with a connection that others shared with them.
	Lost int64 `json:"lost"`
	// Waited counts operations that waited for a place on a connection. The wait is a part of their response time,
	// and not of their service time. WaitMeanMicros is the mean over these, WaitMaxMicros the longest wait.
	// WaitedCrowded are those that waited in seconds in which the generator had no cores to spare. They may have
	// waited for it; the others waited for the store.
	Waited         int64 `json:"waited"`
	WaitedCrowded  int64 `json:"waitedCrowded"`
	WaitMeanMicros int64 `json:"waitMeanMicros"`
	WaitMaxMicros  int64 `json:"waitMaxMicros"`
}

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
	// CoreShare is the share of its cores that a worker used or waited for, in the worker with the largest share.
	// Null if the kernel doesn't tell.
	CoreShare *float64 `json:"coreShare"`
	// SendLag is from an operation's intended time to its send, or until it waits for a
	// free slot. This part of the response time is not the store's. Null in a closed
	// loop.
	SendLag *Latency `json:"sendLag"`
	// ArrivalsDistance is the Kolmogorov–Smirnov distance of a worker's arrivals from their law, beyond what lags of
	// up to 1 ms explain, in the worker with the largest distance. Null in a closed loop.
	ArrivalsDistance *float64 `json:"arrivalsDistance"`
	// Late counts operations that were sent more than 10 ms after their intended time, for
	// whatever reason. Those that were never sent are Workload.NeverStarted.
	Late int64 `json:"late"`
	// Limited counts operations that waited for a free slot. This is the store's delay if the generator had cores to
	// spare. LimitedBins counts the bins of 10 ms of the measurement in which such an operation was intended, since
	// the bound, maxInFlight, was reached.
	Limited     int64 `json:"limited"`
	LimitedBins int64 `json:"limitedBins"`
	InFlightMax int   `json:"inFlightMax"` // of one worker
	// Connections are those that operations shared; null if each operation under way had one of its
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
	// CoreWaitMicros adds up how long threads of all workers waited for a core while others had it.
	// CoreWaitMaxMicros is the longest wait of one thread. In a closed loop the latencies
	// contain these waits. Null if the kernel doesn't tell.
	CoreWaitMicros    *int64 `json:"coreWaitMicros"`
	CoreWaitMaxMicros *int64 `json:"coreWaitMaxMicros"`
	// WriteMaxMicros is the longest that a worker's disk took for the rows of a second.
	WriteMaxMicros int64 `json:"writeMaxMicros"`
}
