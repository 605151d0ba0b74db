package bundle

// All histograms of a bundle have one geometry, so that they merge exactly: microseconds
// from 1 to HistogramMaxMicros with HistogramDigits significant digits. A longer time counts
// as HistogramMaxMicros, and Finish.OverRange says how many there were.
const (
	HistogramMaxMicros = 600_000_000
	HistogramDigits    = 3
)

// IntendedPrefix begins the tag of an interval-log row that holds response times, counted
// from the intended start (open loops only). Rows without it hold service times.
const IntendedPrefix = "Intended-"

// WaitPrefix begins the tag of a row that holds waits, from the intended start to the send
// (open loops only): of each operation that was intended, response time = wait + service time.
const WaitPrefix = "Wait-"

// PartPrefix begins, after IntendedPrefix if there is one, the tag of a row of operations that
// were made as a part of another one: the read and the update of a read-modify-write, and the insert
// of what a read has missed. They have latencies, and nobody intended them by themselves: they have
// no waits, and are not among the operations of a second.
const PartPrefix = "Part-"

// ElsewherePrefix begins a comment of an interval log: a row, which says what of the next row was
// intended in another second than the one in which that row begins. A row has what ended, or was
// sent in case of a lag, in its interval, so rows come in the order of time and the readers of
// HdrHistogram, which leave comments out, have all of it. With the comments, a reader knows what was
// intended in each second.
const ElsewherePrefix = "#[of the next row] "

// LateSendMicros is the wait from which on an operation counts as sent late, whether the
// generator or the wait for a slot was the cause.
const LateSendMicros = 10_000

// LagTag is the tag of a row that holds the lag of sends: from an operation's intended time
// to its send, or until it waits for a free slot. It is the generator's fault, never the
// store's.
const LagTag = "LAG"

// Endings of an interval-log row's tag for operations that did not succeed.
const (
	FailedSuffix  = "-FAILED"
	UnknownSuffix = "-UNKNOWN"
)
