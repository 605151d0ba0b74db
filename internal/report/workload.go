package report

// Workload is one measurement.
type Workload struct {
	Name       string            `json:"name"`
	Preset     string            `json:"preset"`
	Properties map[string]string `json:"properties"`
	// Records is how many records there are when the workload begins, as far as the run loaded them.
	Records int64 `json:"records"`
	// InsertStart and InsertCount are the part of them that the workload loads and asks for: so many from that number on. Both
	// are absent where it is all; without InsertCount it is all from InsertStart on.
	InsertStart int64 `json:"insertStart,omitempty"`
	InsertCount int64 `json:"insertCount,omitempty"`
	Load        Load  `json:"load"`
	// ResetMicros is how long it took to empty the store before the records were loaded; null if nothing was emptied, and if
	// nobody knows, since it had to be repeated.
	ResetMicros *int64 `json:"resetMicros"`
	// Loading is the load phase; null when the workload measured what was there.
	Loading *Loading `json:"loading"`
	// StartedAt is the measurement's start, the end of the warm-up; null when it never
	// started.
	StartedAt *string `json:"startedAt"`
	// DurationMicros is the measurement's length, without warm-up and cool-down.
	DurationMicros int64 `json:"durationMicros"`
	// Intended counts the operations that were intended in the measurement. It is the sum of the next four,
	// whenever the operations ended. A read-modify-write is one operation; its parts appear among
	// Operations only. NeverStarted are those that waited for a slot until the run ended, which is
	// the store's delay.
	Intended     int64 `json:"intended"`
	Succeeded    int64 `json:"succeeded"`
	Failed       int64 `json:"failed"`
	Unknown      int64 `json:"unknown"`
	NeverStarted int64 `json:"neverStarted"`
	// Completed are the successes that ended in the measurement, whenever they were intended:
	// what the store did in that time. Throughput is Completed per second. Succeeded differs by
	// the operations that were under way or waited for a slot at the begin and at the end.
	Completed  int64       `json:"completed"`
	Throughput float64     `json:"throughput"`
	Operations []Operation `json:"operations"`
	// ResponseTimeCensored: some operations never started and have no response time, so all
	// percentiles, maximums and means of response times are lower bounds.
	ResponseTimeCensored bool `json:"responseTimeCensored"`
	// Saturated says that the store could not take the load, for longer than after a pause, while the
	// generator could. SaturatedSeconds counts the seconds of workers outside fault windows in which most
	// operations waited for the store. A closed loop always waits, so it is never saturated.
	Saturated        bool  `json:"saturated"`
	SaturatedSeconds int64 `json:"saturatedSeconds"`
	// OverRange counts the times above the histograms' end, 600 s, in the whole run. They count as
	// 600 s, so percentiles near it are lower bounds, and so is the mean.
	OverRange int64 `json:"overRange"`
	// Errors are those of the whole run of the workload, warm-up and cool-down included.
	Errors    []ErrorCount `json:"errors"`
	Generator Generator    `json:"generator"`
	// Usage is what the store's members used; null if nobody told.
	Usage *Usage `json:"usage"`
	// Trend is null if the load changes, and if a fault or the end comes within half a minute.
	Trend  *Trend   `json:"trend"`
	Series []Second `json:"series"`
}
