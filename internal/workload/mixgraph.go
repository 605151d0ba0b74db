package workload

import (
	"errors"
	"math"
	"math/rand/v2"
)

// KeyRanges are the parameters of requestdistribution=mixgraph: the key-range model of Cao
// et al., "Characterizing, Modeling, and Benchmarking RocksDB Key-Value Workloads at
// Facebook" (FAST'20).
type KeyRanges struct {
	// Range x of Num, from 1 on, is asked for in proportion to a·e^(b·x) + c·e^(d·x).
	A, B, C, D float64
	Num        int64
	// Of the records in a range, the one of rank ⌈(u/KeyA)^(1/KeyB)⌉ is asked for, u in
	// [0, 1). If one of the two is 0, all are equally likely.
	KeyA, KeyB float64
}

// publishedRanges fit the key-value pairs of ZippyDB, a store of Facebook's.
func publishedRanges() KeyRanges {
	return KeyRanges{A: 14.18, B: -2.917, C: 0.0164, D: -0.08082, Num: 30, KeyA: 0.002312, KeyB: 0.3467}
}

// weight is that of range x. As in db_bench, what is below 10^-16 is 0.
func (r *KeyRanges) weight(x int64) float64 {
	w := r.A*math.Exp(r.B*float64(x)) + r.C*math.Exp(r.D*float64(x))
	if w < 1e-16 {
		return 0
	}
	return w
}

// check wants a weight for the first range, which is there however few records there are.
func (r *KeyRanges) check() error {
	var sum float64
	for x := range r.Num {
		sum += r.weight(x + 1)
	}
	if !(r.weight(1) > 0) || !(sum <= math.MaxFloat64) {
		return errors.New("keyrange.a, .b, .c and .d give the first range no weight, or one of them one without end; " +
			"the published ones are 14.18, -2.917, 0.0164 and -0.08082")
	}
	return nil
}

// mixgraph draws records by key ranges. It never changes, so threads share it.
//
// It does what db_bench's GenerateTwoTermExpKeys does, except that
//   - the weights of ranges are not rounded to multiples of the coldest one's,
//   - ranges are shuffled, and ranks are spread over a range, by generators of ours (NewRand
//     and Hash64 instead of the Mersenne Twister): as there, both follow from the
//     parameters alone, so all workers and all runs have the same hot keys,
//   - range and rank are drawn from two numbers instead of one, and value sizes and scan
//     lengths from others,
//   - the records that remain when the number of ranges divides them belong to the first
//     ranges; db_bench never asks for them.
type mixgraph struct {
	below  []float64 // by range, in the order of the keys: the share of it and those before
	starts []int64   // by range: its first record; and behind the last range, all records
	perA   float64   // 1/KeyA; 0 if all records of a range are equally likely
	perB   float64   // 1/KeyB
}

func newMixgraph(r KeyRanges, records int64) *mixgraph {
	n := min(r.Num, records)
	m := &mixgraph{below: make([]float64, n), starts: make([]int64, n+1)}
	for i := range n {
		m.below[i] = r.weight(i + 1)
		m.starts[i+1] = m.starts[i] + records/n
		if i < records%n {
			m.starts[i+1]++
		}
	}
	// By weight, the hot ranges are the first; in the keys they are anywhere.
	NewRand(uint64(n), "key ranges", 0).Shuffle(int(n), func(i, j int) {
		m.below[i], m.below[j] = m.below[j], m.below[i]
	})
	var sum float64
	for i, w := range m.below {
		sum += w
		m.below[i] = sum
	}
	for i := range m.below {
		m.below[i] /= sum
	}
	if r.KeyA > 0 && r.KeyB > 0 {
		m.perA, m.perB = 1/r.KeyA, 1/r.KeyB
	}
	return m
}

// maxRank keeps ranks in what a float64 counts exactly.
const maxRank = 1 << 53

func (m *mixgraph) next(rng *rand.Rand) int64 {
	i := m.find(rng.Float64())
	start, size := m.starts[i], m.starts[i+1]-m.starts[i]
	if m.perA == 0 {
		return start + rng.Int64N(size)
	}
	rank := int64(min(maxRank, math.Ceil(math.Pow(rng.Float64()*m.perA, m.perB))))
	return start + int64(uint64(Hash64(rank))%uint64(size))
}

// find is the range that a share of all requests falls into: the first one whose sum is
// above it. The last sum is 1, and a range without weight is never the first.
func (m *mixgraph) find(share float64) int {
	low, high := 0, len(m.below)-1
	for low < high {
		middle := (low + high) / 2
		if share < m.below[middle] {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
