package workload

import (
	"math/rand/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// keyBatch is how many keys a thread makes at a time. Each step from a random number to the digits of a key waits for
// the step before, but not for the steps of another key. So a processor makes several keys side by side.
const keyBatch = 16

// requests are the keys that a thread asks for.
type requests struct {
	spec    *Spec
	chooser chooser
	numbers []int64
	keys    [][]byte
	used    int // of keys
}

func newRequests(shared *Keyspace, rng *rand.Rand) requests {
	n := keyBatch
	if shared.spec.Weights[stores.Insert] > 0 || shared.spec.Requests == Sequential {
		n = 1 // what is asked for depends on what was done before, by all threads
	}
	r := requests{
		spec:    shared.spec,
		chooser: newChooser(shared, rng),
		numbers: make([]int64, n),
		keys:    make([][]byte, n),
		used:    n,
	}
	for i := range r.keys {
		r.keys[i] = newKey(shared.spec)
	}
	return r
}

// next is valid until the next call.
func (r *requests) next() []byte {
	if r.used == len(r.keys) {
		r.make()
	}
	r.used++
	return r.keys[r.used-1]
}

func (r *requests) make() {
	for i := range r.numbers {
		r.numbers[i] = r.chooser.next()
	}
	for i, number := range r.numbers {
		r.keys[i] = r.spec.AppendKey(r.keys[i][:0], number)
	}
	r.used = 0
}

// newKey has room for any key, and no other thread's memory is beside it.
func newKey(spec *Spec) []byte { return make([]byte, 0, max(cacheLines, 32+spec.ZeroPadding)) }
