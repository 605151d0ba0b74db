package report

// GotFaster is a remark: the store answered faster at the end of the measurement than at its begin.
const GotFaster = "GotFaster"

// Trend compares the begin of a measurement with its end. A store that still compiles its code, fills
// its caches or opens its files gets faster meanwhile, and its figures are those of no steady state.
type Trend struct {
	// FirstP50Micros and LastP50Micros are medians of the seconds' medians: response time in an open
	// loop, service time in a closed one.
	FirstP50Micros int64 `json:"firstP50Micros"`
	LastP50Micros  int64 `json:"lastP50Micros"`
	// Seconds is how many were looked at, from the begin on: those before the first fault.
	Seconds   int64 `json:"seconds"`
	GotFaster bool  `json:"gotFaster"`
}
