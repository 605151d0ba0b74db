package conn

import (
	"math/bits"
	"time"
)

// Usual knows how long answers take, from one in sampleEvery of them. It is not for concurrent use.
type Usual struct {
	counts  [64 * slices]uint32
	total   uint64
	skipped int
}

const (
	sampleEvery = 8
	slices      = 8 // buckets for each doubling, so that a bucket is at most an eighth wide
	leastCount  = 100
)

// A connection without an answer for so long, or ten times what most answers take, takes nothing new.
const (
	shortestSilence = 100 * time.Millisecond
	silenceFactor   = 10
)

// Silence is the time without an answer after which a connection takes nothing new.
func (u *Usual) Silence() time.Duration { return max(shortestSilence, silenceFactor*u.p99()) }

// Begin is the time of an exchange's begin, if it is to be a sample; else zero.
func (u *Usual) Begin() time.Time {
	if u.skipped++; u.skipped < sampleEvery {
		return time.Time{}
	}
	u.skipped = 0
	return time.Now()
}

// End takes the sample that began then, if it is one.
func (u *Usual) End(begun time.Time) {
	if begun.IsZero() {
		return
	}
	u.counts[bucketOf(uint64(max(1, time.Since(begun))))]++
	u.total++
}

// p99 is what 99 % of the samples are not above; 0 before there are some.
func (u *Usual) p99() time.Duration {
	if u.total < leastCount {
		return 0
	}
	above := u.total / 100
	for i := len(u.counts) - 1; i >= 0; i-- {
		count := uint64(u.counts[i])
		if count > above {
			return upperOf(i)
		}
		above -= count
	}
	return 0
}

// bucketOf is the bucket of a number: by its highest bit, and the three below it.
func bucketOf(n uint64) int {
	high := bits.Len64(n) - 1
	if high < 3 {
		return int(n)
	}
	return high*slices + int(n>>(high-3))&(slices-1)
}

// upperOf is the end of a bucket.
func upperOf(bucket int) time.Duration {
	high, slice := bucket/slices, bucket%slices
	if high < 3 {
		return time.Duration(bucket + 1)
	}
	return time.Duration(uint64(slices+slice+1) << (high - 3))
}
