// Package timeline adds up the bins of a workload: by second, and bin by bin near the faults. What it keeps of a second
// takes few bytes, and what it keeps near a fault has a bound of its own.
package timeline

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// Timeline is the bins of all workers of a workload, added up: by second, and bin by bin
// near the faults. A day has 8.6 million bins, so those of a second take few bytes here.
type Timeline struct {
	clock    instant.Clock
	detail   Detail
	chunks   map[chunkIndex]*chunk                        // by second from the start, of the detail
	series   [bundle.NumSeries]map[chunkIndex]*chunkEnded // the same of each series; of all together at 0
	Seconds  instant.BySecond[secondSum]
	Measured Tally // of the bins of the measurement
}

// New has no bins yet. Bins are kept one by one in the seconds of detail.
func New(clock instant.Clock, detail Detail) *Timeline {
	t := &Timeline{clock: clock, detail: detail, chunks: map[chunkIndex]*chunk{}, Seconds: instant.NewBySecond[secondSum](clock)}
	for i := range t.series {
		t.series[i] = map[chunkIndex]*chunkEnded{}
	}
	return t
}

// Add adds what a worker says of a bin, as bundle.Bin.Add does.
func (t *Timeline) Add(b *bundle.Bin) error {
	index := instant.Bin(b.Index)
	begin := index.Begin()
	if begin >= t.clock.Begin && begin < t.clock.End {
		t.Measured.Add(b)
	}
	second := t.clock.SecondAt(begin)
	sum := t.Seconds.At(second)
	sum.Add(b)
	if b.Limited > 0 {
		sum.limit(instant.Bins(begin.Since(t.clock.SecondBegin(second))))
	}
	if b.Completed > 0 {
		sum.lastComplete = max(sum.lastComplete, begin.Plus(b.LastCompleteMicros+1))
	}
	at := chunkOf(index)
	fits := true
	if t.detail.All.has(at) {
		fits = t.addWhole(at, b) && t.addEnded(0, at, b)
	}
	if b.Series != 0 && t.detail.Series.has(at) {
		fits = fits && t.addEnded(b.Series, at, b)
	}
	if !fits {
		return fmt.Errorf("bin %d holds more operations than there can be", b.Index)
	}
	return nil
}

func (t *Timeline) addWhole(at chunkIndex, b *bundle.Bin) bool {
	if b.Series != 0 {
		return true
	}
	c := t.chunks[at]
	if c == nil {
		c = &chunk{}
		for i := range c.bins {
			c.bins[i] = emptySlot
		}
		t.chunks[at] = c
	}
	s := &c.bins[b.Index%ChunkBins]
	s.Limited = s.Limited || b.Limited > 0
	if b.Completed > 0 {
		first, last := int16(b.FirstCompleteMicros), int16(b.LastCompleteMicros)
		if s.firstComplete < 0 || first < s.firstComplete {
			s.firstComplete = first
		}
		s.lastComplete = max(s.lastComplete, last)
	}
	return plus(&s.Intended, b.Intended)
}

// addEnded adds a bin of one series to the series' chunk, or to that of all.
func (t *Timeline) addEnded(to bundle.Series, at chunkIndex, b *bundle.Bin) bool {
	if b.Series == 0 {
		return true
	}
	c := t.series[to][at]
	if c == nil {
		c = &chunkEnded{}
		for i := range c.firstDone {
			c.firstDone[i] = -1
		}
		t.series[to][at] = c
	}
	return c.add(int(b.Index%ChunkBins), b)
}

// At is the bin of that index as a whole, an empty one if nothing happened in it or it isn't kept.
func (t *Timeline) At(index instant.Bin) *slot {
	c := t.chunks[chunkOf(index)]
	if c == nil {
		return &emptySlot
	}
	return &c.bins[index%ChunkBins]
}
