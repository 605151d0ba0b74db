package results

import (
	"maps"
	"slices"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// check says whether a run of the plan could be registered. It keeps nothing and forgets nobody: the
// run may wait for days, or go before its turn.
func (g *registry) check(uid string, document []byte) error {
	_, err := readFacts(uid, document)
	return err
}

// mayAdmit refuses a new run that might push out or starve the ones that are here.
func (g *registry) mayAdmit() error {
	free, err := g.free()
	if err != nil {
		return err
	}
	if free < g.limits.ReserveBytes {
		return refuse(wire.ReasonFull, "the results server's volume has less than the %d MiB left that a new run needs: enlarge it, or lower results.keepBytes or results.keepAge of kvbench's chart",
			g.limits.ReserveBytes>>20)
	}
	return g.makeRoom()
}

func (g *registry) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.runs)
}

// makeRoom forgets a run for another one, if there is no room.
func (g *registry) makeRoom() error {
	for g.count() >= g.limits.Runs {
		judged := map[string]usage{}
		for _, r := range g.all() {
			judged[r.uid] = r.usage()
		}
		uid, ok := oldest(slices.Collect(maps.Values(judged)), g.ages.now())
		if !ok {
			return refuse(wire.ReasonFull, "%d runs are kept, and none of them is over: raise results.maxRuns of kvbench's chart", len(judged))
		}
		gone, err := g.forget(uid, judged[uid].still)
		if gone {
			g.log.Info("forgot the oldest run to make room for another", "run", uid)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
