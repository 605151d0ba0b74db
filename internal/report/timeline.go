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
// near the faults. A day has 8.6 million bins, so those of a second take few bytes here.
type timeline struct {
	clock    workloadClock
	detail   detail
	chunks   map[int64]*chunk                        // by second from the start, of the detail
	series   [bundle.NumSeries]map[int64]*chunkEnded // the same of each series; of all together at 0
	seconds  bySecond[secondSum]
	measured tally // of the bins of the measurement
}

// chunk is the bins of a second as a whole.
type chunk struct{ bins [chunkBins]slot }

// slot is what is kept of such a bin.
type slot struct {
	intended                    uint32
	firstComplete, lastComplete int16 // -1: no completion
	limited                     bool
}

var emptySlot = slot{firstComplete: -1, lastComplete: -1}

// chunkEnded is how the operations of a series ended that were intended in the bins of a second.
type chunkEnded struct {
	ended [chunkBins]uint16
	soon  [chunkBins]uint16 // Bin.OK[0] and Bin.Answered: served, whatever the limit is
	// firstDone is -1 without any. It is of use only if one was served, so what is beyond
	// an int32 needs no telling apart.
	firstDone [chunkBins]int32
	late      []lateCount
}

// lateCount are successes of a bin in a bucket of Bin.OK that isn't the first.
type lateCount struct {
	bin, bucket uint8
	count       uint16
}

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

func newTimeline(clock workloadClock, detail detail) *timeline {
	t := &timeline{clock: clock, detail: detail, chunks: map[int64]*chunk{}, seconds: newBySecond[secondSum](clock)}
	for i := range t.series {
		t.series[i] = map[int64]*chunkEnded{}
	}
	return t
}

// add adds what a worker says of a bin, as bundle.Bin.Add does.
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
	fits := true
	if t.detail.whole.has(second) {
		fits = t.addWhole(second, b) && t.addEnded(0, second, b)
	}
	if b.Series != 0 && t.detail.series.has(second) {
		fits = fits && t.addEnded(b.Series, second, b)
	}
	if !fits {
		return fmt.Errorf("bin %d holds more operations than there can be", b.Index)
	}
	return nil
}

func (t *timeline) addWhole(second int64, b *bundle.Bin) bool {
	if b.Series != 0 {
		return true
	}
	c := t.chunks[second]
	if c == nil {
		c = &chunk{}
		for i := range c.bins {
			c.bins[i] = emptySlot
		}
		t.chunks[second] = c
	}
	s := &c.bins[b.Index%chunkBins]
	s.limited = s.limited || b.Limited > 0
	if b.Completed > 0 {
		first, last := int16(b.FirstCompleteMicros), int16(b.LastCompleteMicros)
		if s.firstComplete < 0 || first < s.firstComplete {
			s.firstComplete = first
		}
		s.lastComplete = max(s.lastComplete, last)
	}
	return plus(&s.intended, b.Intended)
}

// addEnded adds a bin of one series to the series' chunk, or to that of all.
func (t *timeline) addEnded(to bundle.Series, second int64, b *bundle.Bin) bool {
	if b.Series == 0 {
		return true
	}
	c := t.series[to][second]
	if c == nil {
		c = &chunkEnded{}
		for i := range c.firstDone {
			c.firstDone[i] = -1
		}
		t.series[to][second] = c
	}
	return c.add(int(b.Index%chunkBins), b)
}

func (c *chunkEnded) add(at int, b *bundle.Bin) bool {
	if done := int32(min(b.FirstDoneMicros, math.MaxInt32)); done >= 0 && (c.firstDone[at] < 0 || done < c.firstDone[at]) {
		c.firstDone[at] = done
	}
	fits := plus(&c.ended[at], b.Ended()) && plus(&c.soon[at], b.OK[0]+b.Answered)
	for bucket, count := range b.OK {
		if bucket > 0 && count > 0 {
			fits = fits && plus(c.lateCount(at, bucket), count)
		}
	}
	return fits
}

// lateCount finds or makes the count of a bin's bucket.
func (c *chunkEnded) lateCount(at, bucket int) *uint16 {
	for i := len(c.late) - 1; i >= 0; i-- {
		if l := &c.late[i]; int(l.bin) == at && int(l.bucket) == bucket {
			return &l.count
		}
	}
	c.late = append(c.late, lateCount{bin: uint8(at), bucket: uint8(bucket)})
	return &c.late[len(c.late)-1].count
}

// plus adds a count that fits; false when the sum doesn't: 6.5 million operations/s, and 430 million of all kinds.
func plus[T uint16 | uint32](to *T, count int64) bool {
	sum := int64(*to) + count
	*to = T(sum)
	return int64(*to) == sum
}

// at is the bin of that index as a whole, an empty one if nothing happened in it or it isn't kept.
func (t *timeline) at(index int64) *slot {
	c := t.chunks[floorDiv(index, chunkBins)]
	if c == nil {
		return &emptySlot
	}
	return &c.bins[index%chunkBins]
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
