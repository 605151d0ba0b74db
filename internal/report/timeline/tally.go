package timeline

import (
	"math/bits"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// secondSum is what the bins of a second come to.
type secondSum struct {
	Tally
	lastComplete instant.FromStart // of a success, and 1 µs; 0 without any
	// limited has a bit for each bin in which an operation of any worker found no free slot.
	limited [(ChunkBins + 63) / 64]uint64
}

func (s *secondSum) limit(bin instant.Bin) { s.limited[bin/64] |= 1 << (bin % 64) }

// LimitedBins is in how many bins of the second the bound was reached.
func (s *secondSum) LimitedBins() (n int) {
	for _, word := range s.limited {
		n += bits.OnesCount64(word)
	}
	return n
}

// Tally is what the operations of some bins came to.
type Tally struct {
	Intended, Succeeded, Failed, Unknown, NeverStarted int64
	Completed                                          int64 // successes that ended in the bins, whenever they were intended
}

// Add adds a bin.
func (t *Tally) Add(b *bundle.Bin) {
	t.Intended += b.Intended
	t.Succeeded += b.Succeeded()
	t.Failed += b.Failed
	t.Unknown += b.Unknown
	t.NeverStarted += b.NeverStarted
	t.Completed += b.Completed
}

// Ended is how many operations have an outcome.
func (t *Tally) Ended() int64 { return t.Succeeded + t.Failed + t.Unknown }
