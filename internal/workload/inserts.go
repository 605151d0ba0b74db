package workload

import (
	"sort"
	"sync"
	"sync/atomic"
)

// inserts numbers a worker's inserts and knows which of them are there to be read.
//
// The worker's k-th insert has the key number base + index + k·workers, so workers never
// collide. Inserts settle in any order; the known ones are those below the first that is
// still under way, without those that failed or whose effect is unknown.
type inserts struct {
	base, step int64

	issued atomic.Int64
	known  atomic.Int64
	// holes are the inserts that did not succeed, ascending. Further ones are appended
	// behind what readers have, in the same memory; what they have never changes. It is
	// stored before known, so that whoever sees a count also sees its holes.
	holes atomic.Pointer[[]int64]

	mu      sync.Mutex
	settled []settlement // from first on
	first   int64        // the lowest insert that is still under way
}

type settlement uint8

const (
	underWay settlement = iota
	succeeded
	lost
)

func newInserts(base int64, index, workers int) *inserts {
	in := &inserts{base: base + int64(index), step: int64(workers)}
	in.holes.Store(new([]int64))
	return in
}

// next is the worker's next insert and its key number.
func (in *inserts) next() (k, number int64) {
	k = in.issued.Add(1) - 1
	return k, in.base + k*in.step
}

// settle says how insert k ended.
func (in *inserts) settle(k int64, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	at := int(k - in.first)
	for at >= len(in.settled) {
		in.settled = append(in.settled, underWay)
	}
	in.settled[at] = lost
	if ok {
		in.settled[at] = succeeded
	}
	done, before := 0, *in.holes.Load()
	holes := before
	for done < len(in.settled) && in.settled[done] != underWay {
		if in.settled[done] == lost {
			holes = append(holes, in.first+int64(done))
		}
		done++
	}
	if done == 0 {
		return
	}
	in.settled = in.settled[:copy(in.settled, in.settled[done:])]
	in.first += int64(done)
	if len(holes) > len(before) {
		grown := holes // of its own, so that a success allocates nothing
		in.holes.Store(&grown)
	}
	in.known.Store(in.first - int64(len(holes)))
}

// number is the key number of the v-th known insert, for v below known.
func (in *inserts) number(v int64) int64 {
	holes := *in.holes.Load()
	// The holes before the v-th success are those with at most v successes before them.
	before := sort.Search(len(holes), func(j int) bool { return holes[j]-int64(j) > v })
	return in.base + (v+int64(before))*in.step
}
