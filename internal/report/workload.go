package report

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
