package report

// FromMeasurement is an instant in microseconds from a measurement's start, which is the end of the warm-up. It is
// negative before it.
type FromMeasurement int64

// Moment is an instant.
type Moment struct {
	SinceStartMicros FromMeasurement `json:"sinceStartMicros"`
	// Time is the same in RFC 3339, UTC.
	Time string `json:"time"`
}

// Bracket is an interval in which something happened.
type Bracket struct {
	After  Moment `json:"after"`
	Before Moment `json:"before"`
}
