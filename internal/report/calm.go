package report

import (
	"math"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// calm has the successes of a workload in blocks of seconds, for the p99 before a fault:
// which seconds an earlier fault spoiled is known only when its outage was measured. So
// the seconds after an injection are apart for a while, minutes for an hour, and all
// others are added up between two injections.
type calm struct {
	injections []int64 // rows, in their order
	blocks     map[int64]*block
}

const (
	apartLead    = 5
	apartSeconds = 300
	apartMinutes = maxLookMicros/1_000_000 + apartLead
)

// block is consecutive seconds, both ends inclusive.
type block struct {
	from, to int64
	sum      *hdr.PackedHistogram
}

func newCalm(clock workloadClock, injections []int64) *calm {
	c := &calm{blocks: map[int64]*block{}}
	for _, at := range injections {
		c.injections = append(c.injections, clock.rowOf(at))
	}
	return c
}

// begin is the first second of a second's block.
func (c *calm) begin(second int64) int64 {
	begin := int64(math.MinInt64)
	if second >= 0 {
		begin = 0 // the warm-up has its own
	}
	for _, at := range c.injections {
		from, apart, minutes := at-apartLead, at+apartSeconds, at+apartMinutes
		switch {
		case second < from:
			return begin
		case second < apart:
			return second
		case second < minutes:
			begin = max(begin, second-(second-apart)%60)
		default:
			begin = max(begin, minutes)
		}
	}
	return begin
}

func (c *calm) add(second int64, h *hdr.PackedHistogram) error {
	begin := c.begin(second)
	b := c.blocks[begin]
	if b == nil {
		b = &block{from: second, to: second, sum: newHistogram()}
		c.blocks[begin] = b
	}
	b.from, b.to = min(b.from, second), max(b.to, second)
	return merge(b.sum, h)
}

// over adds up the blocks that keep says.
func (c *calm) over(keep func(*block) bool) (*hdr.PackedHistogram, error) {
	sum := newHistogram()
	for _, b := range c.blocks {
		if !keep(b) {
			continue
		}
		if err := merge(sum, b.sum); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func (b *block) overlaps(windows []window) bool {
	return slices.ContainsFunc(windows, func(w window) bool { return b.from <= w.to && b.to >= w.from })
}
