package bundle

// All histograms of a bundle have one geometry, so that they merge exactly: microseconds
// from 1 to HistogramMaxMicros with HistogramDigits significant digits.
const (
	HistogramMaxMicros = 600_000_000
	HistogramDigits    = 3
)

// IntendedPrefix begins the tag of an interval-log row that holds response times, counted
// from the intended start (open loops only). Rows without it hold service times.
const IntendedPrefix = "Intended-"

// Endings of an interval-log row's tag for operations that did not succeed.
const (
	FailedSuffix  = "-FAILED"
	UnknownSuffix = "-UNKNOWN"
)
