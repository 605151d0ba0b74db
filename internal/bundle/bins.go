package bundle

// BinMillis is the width of a bin.
const BinMillis = 10

// Bin is what happened in one 10 ms bin, or a part of it: a worker writes what is new
// since its last write, so the rows of one bin are added up (Add).
//
// Index counts from the workload's start (the begin of the warm-up). The first group of
// fields counts operations by their intended time (in a closed loop: their send), the
// second successes by their completion.
type Bin struct {
	Index    int64
	Intended int64
	Failed   int64
	// Answered are those of Failed that the store itself answered, up to LateBaseMicros
	// after their intended time: the record was not there, and the store was.
	Answered int64
	Unknown  int64
	// NeverStarted waited for a slot until the run ended. Once all operations have ended,
	// Intended is the sum of OK, Failed, Unknown and NeverStarted.
	NeverStarted int64
	Limited      int64 // waited for a free slot
	// OK counts successes by response time: OK[0] up to LateBaseMicros, OK[i] up to
	// LateBound(i).
	OK [LateBuckets]int64
	// FirstDoneMicros is the earliest completion of a success intended in this bin, or of a
	// failure in Answered, in microseconds from the bin's begin; -1 when there is none.
	FirstDoneMicros int64

	Completed           int64
	FirstCompleteMicros int64 // from the bin's begin; -1 when Completed is 0
	LastCompleteMicros  int64
}

// LateBaseMicros is the smallest limit of "in time": 100 ms. LateBuckets buckets of
// response time follow it, each 10 % wider than the one before; the last is open.
const (
	LateBaseMicros = 100_000
	LateBuckets    = 72
)
