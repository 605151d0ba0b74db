package hazelcast

import (
	"sync"
	"sync/atomic"
)

// generations are how often each table was emptied. Objects of a raft group can't be listed, and
// not be made again once they were destroyed: an emptied table has other objects than before.
type generations struct {
	changes atomic.Uint64 // counts what was learned, so that sessions look again
	mu      sync.Mutex
	known   map[string]uint64
}

func (g *generations) of(table string) (generation uint64, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	generation, known = g.known[table]
	return generation, known
}

// learn keeps a table's generation, unless a later one is known.
func (g *generations) learn(table string, generation uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known[table] = max(generation, g.known[table])
	g.changes.Add(1)
}
