package workload

import (
	"math"
	"math/rand/v2"
)

// chooser draws the record of a request.
//
// It works on virtual numbers: those below records are the loaded keys, those from
// records on the worker's own known inserts in their order. last is the highest there is.
type chooser struct {
	part
	kind   string
	rng    *rand.Rand
	shared *Keyspace

	zipf  zipf
	span  int64   // scrambled zipfian: size of the range
	gamma float64 // exponential
	hot   int64   // hotspot: records that are hot
	share float64 // hotspot: of the operations
}

func newChooser(shared *Keyspace, rng *rand.Rand) chooser {
	s := shared.spec
	c := chooser{part: shared.part, kind: s.Requests, rng: rng, shared: shared}
	switch s.Requests {
	case Zipfian:
		c.zipf = shared.zipf
		// YCSB's range has both ends, so it reaches one beyond the records.
		c.span = c.count + shared.expectedInserts + 1
	case Latest:
		c.zipf = shared.zipf
	case Exponential:
		c.gamma = -math.Log(1-s.ExponentialShare/100) / (float64(c.records) * s.ExponentialPart)
	case Hotspot:
		c.hot = int64(float64(c.count) * s.HotspotData)
		c.share = s.HotspotOperations
		switch c.hot {
		case 0:
			c.share = 0
		case c.count:
			c.share = 1
		}
	}
	return c
}

// next is the key number of the next request.
func (c *chooser) next() int64 {
	v := c.draw(c.records - 1 + c.shared.inserts.known.Load())
	if v < c.records {
		return c.first + v*c.stride
	}
	return c.shared.inserts.number(v - c.records)
}

func (c *chooser) draw(last int64) int64 {
	switch c.kind {
	case Zipfian:
		for {
			v := c.from + int64(uint64(Hash64(c.zipf.next(c.rng, scrambledItems)))%uint64(c.span))
			if v <= last {
				return v
			}
		}
	case Latest:
		if last < 1 {
			return 0
		}
		c.zipf.growTo(last)
		return max(0, last-c.zipf.next(c.rng, last))
	case Exponential:
		for {
			// 1-u is in (0,1], so that the logarithm is finite.
			if v := last - int64(-math.Log(1-c.rng.Float64())/c.gamma); v >= 0 {
				return v
			}
		}
	case Hotspot:
		if c.rng.Float64() < c.share {
			return c.from + c.rng.Int64N(c.hot)
		}
		return c.from + c.hot + c.rng.Int64N(c.count-c.hot)
	case Sequential:
		return c.from + c.shared.nextInSequence()
	case Mixgraph:
		return c.from + c.shared.mixgraph.next(c.rng)
	default:
		return c.from + c.rng.Int64N(c.count)
	}
}
