package limits

// How long the bins around an injection are kept one by one, and the outage is followed in them.
const (
	// LookMicros is how long before an injection the operations are counted, to know what is usual.
	LookMicros = 5_000_000
	// MaxLookMicros bounds how long after an injection its outage is followed: an hour, then
	// it is censored.
	MaxLookMicros = 3_600_000_000
	// MaxSeriesLookMicros is the same for one series: five minutes.
	MaxSeriesLookMicros = 300_000_000
	// MaxWideningMicros bounds by how much the clocks' errors widen an injection's bracket.
	MaxWideningMicros = 2_000_000
)
