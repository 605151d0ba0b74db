package record

import (
	"math/bits"

	"github.com/kvbench/kvbench/internal/bundle"
)

// The geometry of HdrHistogram for 1 … bundle.HistogramMaxMicros with three digits: 2,048
// steps of one, then in each further page 1,024 steps of twice the size.
const (
	halfBits = 10
	half     = 1 << halfBits
	fullMask = 2*half - 1
	pages    = 21 // so many halves reach HistogramMaxMicros
	slots    = pages * half
)

// Histogram has the buckets of an HdrHistogram, in pages that exist only where something
// was counted: latencies of one second touch a few, a whole one has 172 kB.
type Histogram struct {
	// total is written for each value. Behind the pages it would be on one cache line with
	// the first page of another thread's histogram, which each value reads.
	total int64
	pages [pages]*[half]uint32
}

func slotOf(micros int64) int {
	bucket := bits.Len64(uint64(micros)|fullMask) - (halfBits + 1)
	return bucket<<halfBits + int(micros>>bucket)
}

// lowest is the smallest value of a slot, width how many values share it.
func lowest(slot int) (value, width int64) {
	bucket := slot>>halfBits - 1
	if bucket < 0 {
		return int64(slot), 1
	}
	return int64(slot&(half-1)+half) << bucket, 1 << bucket
}

// Record counts a value; one beyond HistogramMaxMicros as if it were that. False when it
// is negative, which no time is.
func (h *Histogram) Record(micros int64) bool {
	if micros < 0 {
		return false
	}
	slot := slotOf(min(micros, bundle.HistogramMaxMicros))
	page := h.pages[slot>>halfBits]
	if page == nil {
		page = new([half]uint32)
		h.pages[slot>>halfBits] = page
	}
	page[slot&(half-1)]++
	h.total++
	return true
}

// Total is the number of values.
func (h *Histogram) Total() int64 { return h.total }

// add adds all counts of another.
func (h *Histogram) add(other *Histogram) {
	for i, page := range other.pages {
		if page == nil {
			continue
		}
		if h.pages[i] == nil {
			h.pages[i] = new([half]uint32)
		}
		for slot, n := range page {
			h.pages[i][slot] += n
		}
	}
	h.total += other.total
}

// clear leaves it empty, with its memory.
func (h *Histogram) clear() {
	for _, page := range h.pages {
		if page != nil {
			clear(page[:])
		}
	}
	h.total = 0
}

// moveTo adds all counts to sum and leaves h empty. A page in which nothing was counted
// this time is given back.
func (h *Histogram) moveTo(sum *Histogram) {
	if h.total == 0 {
		return
	}
	for i, page := range h.pages {
		if page == nil {
			continue
		}
		used := false
		for slot, n := range page {
			if n == 0 {
				continue
			}
			used = true
			if sum.pages[i] == nil {
				sum.pages[i] = new([half]uint32)
			}
			sum.pages[i][slot] += n
		}
		if used {
			clear(page[:])
		} else {
			h.pages[i] = nil
		}
	}
	sum.total += h.total
	h.total = 0
}

// Each calls f for every slot that has counts, ascending: the range of its values in
// microseconds, and their number.
func (h *Histogram) Each(f func(low, high int64, count int64)) {
	for i, page := range h.pages {
		if page == nil {
			continue
		}
		for j, n := range page {
			if n != 0 {
				low, width := lowest(i<<halfBits + j)
				f(low, low+width-1, int64(n))
			}
		}
	}
}

// Max is the highest value that is equivalent to the largest; 0 when empty.
func (h *Histogram) Max() (highest int64) {
	h.Each(func(_, high, _ int64) { highest = high })
	return highest
}
