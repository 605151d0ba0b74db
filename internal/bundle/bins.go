package bundle

import "github.com/kvbench/kvbench/internal/stores"

// BinMillis is the width of a bin.
const BinMillis = 10

// Series is a group of operations: of one kind, on one shard of the key space. The zero value is the
// operations of a bin as a whole.
type Series uint8

// shards is how many a kind of operation can be on, and one for keys whose shard isn't told.
const shards = stores.MaxShards + 1

// NumSeries is one more than the largest Series.
const NumSeries = Series(stores.NumKinds)*shards + 1

// SeriesOf is the operations of that kind on that shard: 1 to stores.MaxShards, or 0 where it isn't told.
func SeriesOf(kind stores.Kind, shard uint8) Series { return 1 + Series(kind)*shards + Series(shard) }

// Kind is what the series' operations do.
func (s Series) Kind() stores.Kind { return stores.Kind((s - 1) / shards) }

// Shard is where they do it.
func (s Series) Shard() uint8 { return uint8((s - 1) % shards) }

// Bin is what happened in one 10 ms bin, or a part of it: a worker writes what is new
// since its last write, so the Bins of one index are added up (Add).
//
// Index counts from the workload's start (the begin of the warm-up). What is known before an operation's
// kind and key are drawn, and what ended in the bin, is of the bin as a whole (Series is 0). How operations
// ended is of their series.
type Bin struct {
	Index  int64
	Series Series

	// Of the bin as a whole. Operations count by their intended time (in a closed loop: their send).
	Intended int64
	// NeverStarted waited for a slot until the run ended. Once all operations have ended,
	// Intended is the sum of OK, Failed and Unknown of all series, and NeverStarted.
	NeverStarted int64
	Limited      int64 // waited for a free slot
	// Completed are the successes that ended in the bin, whenever they were intended.
	Completed           int64
	FirstCompleteMicros int64 // from the bin's begin; -1 when Completed is 0
	LastCompleteMicros  int64

	// Of one series, by intended time.
	Failed int64
	// Answered are those of Failed that the store itself answered, up to LateBaseMicros
	// after their intended time: the record was not there, and the store was.
	Answered int64
	Unknown  int64
	// OK counts successes by response time: OK[0] up to LateBaseMicros, OK[i] up to
	// LateBound(i).
	OK [LateBuckets]int64
	// FirstDoneMicros is the earliest completion of a success intended in this bin, or of a
	// failure in Answered, in microseconds from the bin's begin; -1 when there is none.
	FirstDoneMicros int64
}

// LateBaseMicros is the smallest limit of "in time": 100 ms. LateBuckets buckets of
// response time follow it, each 10 % wider than the one before; the last is open.
const (
	LateBaseMicros = 100_000
	LateBuckets    = 72
)
