package latency

import (
	"math"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// baseline has the successes of a workload in blocks of seconds. The p99 before a fault is made of them. Which seconds
// an earlier fault spoiled is known only when its outage was measured. So each of the seconds after an injection is a
// block for five minutes, each minute for the rest of an hour, and all seconds from then to the next injection.
type baseline struct {
	injections []instant.Second // rows, in their order
	blocks     map[instant.Second]*block
}

const (
	apartLead    = 5
	apartSeconds = 300
	apartMinutes = limits.MaxLookMicros/1_000_000 + apartLead
)

// block is consecutive seconds, both ends inclusive.
type block struct {
	from, to instant.Second
	sum      *hdr.PackedHistogram
}

func newBaseline(clock instant.Clock, injections []instant.FromStart) *baseline {
	c := &baseline{blocks: map[instant.Second]*block{}}
	for _, at := range injections {
		c.injections = append(c.injections, clock.RowOf(at))
	}
	return c
}

// begin is the first second of a second's block.
func (c *baseline) begin(second instant.Second) instant.Second {
	begin := instant.Second(math.MinInt64)
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

func (c *baseline) add(second instant.Second, h *hdr.PackedHistogram) error {
	begin := c.begin(second)
	b := c.blocks[begin]
	if b == nil {
		b = &block{from: second, to: second, sum: histogram.New()}
		c.blocks[begin] = b
	}
	b.from, b.to = min(b.from, second), max(b.to, second)
	return histogram.Merge(b.sum, h)
}

// over adds up the blocks that keep accepts.
func (c *baseline) over(keep func(*block) bool) (*hdr.PackedHistogram, error) {
	sum := histogram.New()
	for _, b := range c.blocks {
		if !keep(b) {
			continue
		}
		if err := histogram.Merge(sum, b.sum); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func (b *block) overlaps(windows []instant.Window) bool {
	return slices.ContainsFunc(windows, func(w instant.Window) bool { return b.from <= w.To && b.to >= w.From })
}
