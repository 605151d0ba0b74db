package rate

import (
	"math"
	"sort"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

// curve is a rate that is linear in each of some parts: steps, ramps, and what a file says.
// Its last value holds for ever.
type curve struct {
	parts []part
	last  part
}

// part begins at an instant, with what is due by then.
type part struct {
	begin, length float64 // seconds
	due           float64
	rate, slope   float64 // operations/s, and by how many it grows in a second
}

func newCurve(segments []plan.Segment) *curve {
	var c curve
	var begin, due float64
	for _, s := range segments {
		length := float64(s.Millis) / 1000
		c.parts = append(c.parts, part{begin: begin, length: length, due: due, rate: s.From, slope: (s.To - s.From) / length})
		begin += length
		due += (s.From + s.To) / 2 * length
		c.last = part{begin: begin, due: due, rate: s.To}
	}
	return &c
}

func (c *curve) at(seconds float64) *part {
	after := sort.Search(len(c.parts), func(i int) bool { return c.parts[i].begin+c.parts[i].length > seconds })
	return c.part(after)
}

func (c *curve) part(i int) *part {
	if i == len(c.parts) {
		return &c.last
	}
	return &c.parts[i]
}

func (c *curve) At(at time.Duration) float64 {
	p := c.at(at.Seconds())
	return p.rate + p.slope*(at.Seconds()-p.begin)
}

func (c *curve) Due(at time.Duration) float64 {
	p := c.at(at.Seconds())
	since := at.Seconds() - p.begin
	return p.due + since*(p.rate+p.slope/2*since)
}

func (c *curve) When(n float64) time.Duration {
	p := c.part(sort.Search(len(c.parts), func(i int) bool { return c.part(i+1).due > n }))
	rest := n - p.due
	switch {
	case p == &c.last && p.rate == 0:
		return Never
	case rest <= 0:
		return after(p.begin)
	}
	// The solution of slope/2·t² + rate·t = rest that loses no digits where the slope is small.
	root := math.Sqrt(max(0, p.rate*p.rate+2*p.slope*rest))
	return after(p.begin + 2*rest/(p.rate+root))
}
