package bundle

import (
	"math"
	"sort"
)

// lateBounds are the upper limits of Bin.OK, inclusive. Integer steps: every reader and
// writer computes the same ones.
var lateBounds = func() (bounds [LateBuckets]int64) {
	bound := int64(LateBaseMicros)
	for i := range bounds {
		bounds[i] = bound
		bound = bound * 11 / 10
	}
	bounds[LateBuckets-1] = math.MaxInt64
	return bounds
}()

// LateBound is the longest response time in microseconds that Bin.OK[i] counts; the last
// bucket has no limit (math.MaxInt64).
func LateBound(i int) int64 { return lateBounds[i] }

// LateBucket is the index in Bin.OK of a response time.
func LateBucket(micros int64) int {
	if micros <= LateBaseMicros {
		return 0
	}
	return sort.Search(LateBuckets, func(i int) bool { return micros <= lateBounds[i] })
}

// Add adds what another Bin says of the same one; of other series as well, where all are to be added up.
func (b *Bin) Add(other *Bin) {
	b.Intended += other.Intended
	b.Failed += other.Failed
	b.Answered += other.Answered
	b.Unknown += other.Unknown
	b.NeverStarted += other.NeverStarted
	b.Limited += other.Limited
	for i, n := range other.OK {
		b.OK[i] += n
	}
	b.FirstDoneMicros = earlier(b.FirstDoneMicros, other.FirstDoneMicros)
	if other.Completed == 0 {
		return
	}
	if b.Completed == 0 {
		b.FirstCompleteMicros, b.LastCompleteMicros = other.FirstCompleteMicros, other.LastCompleteMicros
	} else {
		b.FirstCompleteMicros = earlier(b.FirstCompleteMicros, other.FirstCompleteMicros)
		b.LastCompleteMicros = max(b.LastCompleteMicros, other.LastCompleteMicros)
	}
	b.Completed += other.Completed
}

// NewBin is an empty bin: nothing was done and nothing completed.
func NewBin(index int64) Bin {
	return Bin{Index: index, FirstDoneMicros: -1, FirstCompleteMicros: -1, LastCompleteMicros: -1}
}

// NewSeriesBin is NewBin for a series.
func NewSeriesBin(index int64, series Series) Bin {
	b := NewBin(index)
	b.Series = series
	return b
}

// Ended is the number of operations intended in the bin that have ended.
func (b *Bin) Ended() int64 { return b.Succeeded() + b.Failed + b.Unknown }

// Succeeded is the number of successes intended in the bin.
func (b *Bin) Succeeded() int64 {
	var n int64
	for _, count := range b.OK {
		n += count
	}
	return n
}

// earlier is the smaller of two instants, where -1 stands for none.
func earlier(a, b int64) int64 {
	switch {
	case a < 0:
		return b
	case b < 0:
		return a
	}
	return min(a, b)
}

// LateBucketOf is the first bucket of Bin.OK whose bound reaches so many microseconds: the last one that counts as in
// time where this is the limit.
func LateBucketOf(micros int64) int {
	for i := range LateBuckets - 1 {
		if LateBound(i) >= micros {
			return i
		}
	}
	return LateBuckets - 2 // the last one that has a bound
}
