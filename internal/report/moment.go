package report

// Moment is an instant.
type Moment struct {
	// SinceStartMicros counts from the measurement's start; negative before it.
	SinceStartMicros int64 `json:"sinceStartMicros"`
	// Time is the same in RFC 3339, UTC.
	Time string `json:"time"`
}

// Bracket is an interval in which something happened.
type Bracket struct {
	After  Moment `json:"after"`
	Before Moment `json:"before"`
}
