package report

// Latency sums up a histogram, in the way of HdrHistogram: a percentile is the highest
// value that its bucket stands for (3 significant digits).
type Latency struct {
	P50Micros  int64 `json:"p50Micros"`
	P95Micros  int64 `json:"p95Micros"`
	P99Micros  int64 `json:"p99Micros"`
	P999Micros int64 `json:"p999Micros"`
	MaxMicros  int64 `json:"maxMicros"`
	MeanMicros int64 `json:"meanMicros"`
}

// Operation is one kind of operation with one outcome: those that were intended in the
// measurement, whenever they ended.
type Operation struct {
	Operation string `json:"operation"` // YCSB's name
	Outcome   string `json:"outcome"`   // ok, failed, unknown
	Count     int64  `json:"count"`
	// ResponseTime counts from the intended start; null in a closed loop.
	ResponseTime *Latency `json:"responseTime"`
	// WaitTime is from the intended start to the send, while the operation waits for a free slot or for the
	// generator. It is the response time without the service time. Null in a closed
	// loop, and if all operations were parts of others.
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
