package report

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/kvbench/kvbench/internal/bundle"
)

const (
	binMicros = bundle.BinMillis * 1000
	chunkBins = 1_000_000 / binMicros // a second
)

// timeline is the bins of all workers of a workload, added up: by second, and bin by bin
// near the faults. A day has 8.6 million bins, and one bin takes 20 bytes and its late
// successes here.
type timeline struct {
	clock    workloadClock
	detail   spans
	chunks   map[int64]*chunk // by second from the start, of the detail
	seconds  bySecond[secondSum]
	measured tally // of the bins of the measurement
}

// chunk is the bins of a second.
type chunk struct {
	bins [chunkBins]slot
	late *[chunkBins][]lateBucket // nil while there is none
}

// slot is what is kept of a bundle.Bin.
type slot struct {
	intended uint32
	soon     uint32 // Bin.OK[0] and Bin.Answered: served, whatever the limit is
	// firstDone is -1 without any. It is of use only if one was served, so what is beyond
	// an int32 needs no telling apart.
	firstDone                   int32
	firstComplete, lastComplete int16 // -1: no completion
	limited                     bool
}

type lateBucket struct {
	bucket uint8
	count  uint32
}

var emptySlot = slot{firstDone: -1, firstComplete: -1, lastComplete: -1}

// secondSum is what the bins of a second come to.
type secondSum struct {
	tally
	lastComplete int64 // micros from the start, and 1; 0 without any
	// limited has a bit for each bin in which an operation of any worker found no free slot.
	limited [(chunkBins + 63) / 64]uint64
}

func (s *secondSum) limit(bin int64) { s.limited[bin/64] |= 1 << (bin % 64) }

// limitedBins is in how many bins of the second the bound was reached.
func (s *secondSum) limitedBins() (n int) {
	for _, word := range s.limited {
		n += bits.OnesCount64(word)
	}
	return n
}

func newTimeline(clock workloadClock, detail spans) *timeline {
	return &timeline{clock: clock, detail: detail, chunks: map[int64]*chunk{}, seconds: newBySecond[secondSum](clock)}
}

// add adds a row, as bundle.Bin.Add does.
func (t *timeline) add(b *bundle.Bin) error {
	begin := b.Index * binMicros
	if begin >= t.clock.warmupMicros && begin < t.clock.endMicros {
		t.measured.add(b)
	}
	sum := t.seconds.at(t.clock.secondOfMicros(begin))
	sum.add(b)
	if b.Limited > 0 {
		sum.limit((begin - t.clock.warmupMicros - t.clock.secondOfMicros(begin)*1_000_000) / binMicros)
	}
	if b.Completed > 0 {
		sum.lastComplete = max(sum.lastComplete, begin+b.LastCompleteMicros+1)
	}
	second := b.Index / chunkBins
	if !t.detail.has(second) {
		return nil
	}
	c := t.chunks[second]
	if c == nil {
		c = &chunk{}
		for i := range c.bins {
			c.bins[i] = emptySlot
		}
		t.chunks[second] = c
	}
	return c.add(int(b.Index%chunkBins), b)
}

func (c *chunk) add(at int, b *bundle.Bin) error {
	s := &c.bins[at]
	ok := plus(&s.intended, b.Intended) && plus(&s.soon, b.OK[0]) && plus(&s.soon, b.Answered)
	for bucket, count := range b.OK {
		if bucket > 0 && count > 0 {
			ok = ok && c.addLate(at, uint8(bucket), count)
		}
	}
	if !ok {
		return fmt.Errorf("bin %d holds more operations than there can be", b.Index)
	}
	s.limited = s.limited || b.Limited > 0
	if done := int32(min(b.FirstDoneMicros, math.MaxInt32)); done >= 0 && (s.firstDone < 0 || done < s.firstDone) {
		s.firstDone = done
	}
	if b.Completed > 0 {
		first, last := int16(b.FirstCompleteMicros), int16(b.LastCompleteMicros)
		if s.firstComplete < 0 || first < s.firstComplete {
			s.firstComplete = first
		}
		s.lastComplete = max(s.lastComplete, last)
	}
	return nil
}

func (c *chunk) addLate(at int, bucket uint8, count int64) bool {
	if c.late == nil {
		c.late = new([chunkBins][]lateBucket)
	}
	late := c.late[at]
	for i := range late {
		if late[i].bucket == bucket {
			return plus(&late[i].count, count)
		}
	}
	c.late[at] = append(late, lateBucket{bucket, uint32(count)})
	return true
}

// plus adds a count that fits; false when the sum doesn't.
func plus(to *uint32, count int64) bool {
	sum := int64(*to) + count
	*to = uint32(min(sum, math.MaxUint32))
	return sum <= math.MaxUint32
}

// bin is one of the detail.
type bin struct {
	*slot
	late []lateBucket
}

// at is the bin of that index, an empty one if nothing happened in it or it isn't kept.
func (t *timeline) at(index int64) bin {
	c := t.chunks[floorDiv(index, chunkBins)]
	if c == nil {
		return bin{slot: &emptySlot}
	}
	at := index % chunkBins
	b := bin{slot: &c.bins[at]}
	if c.late != nil {
		b.late = c.late[at]
	}
	return b
}

// served counts the operations that were served, where the bucket is the last in time.
func (b bin) served(bucket int) int64 {
	n := int64(b.soon)
	for _, l := range b.late {
		if int(l.bucket) <= bucket {
			n += int64(l.count)
		}
	}
	return n
}

// tally is what the operations of some bins came to.
type tally struct {
	intended, succeeded, failed, unknown, neverStarted int64
	completed                                          int64 // successes that ended in the bins, whenever they were intended
}

func (t *tally) add(b *bundle.Bin) {
	t.intended += b.Intended
	t.succeeded += b.Succeeded()
	t.failed += b.Failed
	t.unknown += b.Unknown
	t.neverStarted += b.NeverStarted
	t.completed += b.Completed
}

// ended is how many operations have an outcome.
func (t *tally) ended() int64 { return t.succeeded + t.failed + t.unknown }
