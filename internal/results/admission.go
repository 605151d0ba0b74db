package results

import (
	"maps"
	"slices"

	"github.com/kvbench/kvbench/internal/results/need"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// spareClaims are for observers, and for loaders and observers that are started again.
const spareClaims = 100

// check says whether a run of the plan could be registered, and everything that it leaves be kept. It
// keeps nothing and forgets nobody: the run may wait for days, or go before its turn.
func (g *registry) check(uid string, document []byte) error {
	f, err := readFacts(uid, document)
	if err != nil {
		return err
	}
	size, err := g.size()
	if err != nil {
		return err
	}
	for _, bound := range []struct {
		bytes int64 // 0: no bound
		what  string
	}{
		{g.limits.BytesPerRun, "at most %s may be of one run (results.runBytes of kvbench's chart)"},
		{g.keepBytes, "at most %s are kept of all runs (results.keepBytes of kvbench's chart)"},
		{max(1, int64(size)-int64(g.limits.ReserveBytes)), "the results server's volume has room for %s (results.storage.size of kvbench's chart)"},
	} {
		if bound.bytes > 0 && f.need.Bytes > bound.bytes {
			return refuse(wire.ReasonTooLarge, "the run would leave %s, and "+bound.what+": measure for a shorter time or with fewer workers, or raise that", f.need, need.Size(float64(bound.bytes)))
		}
	}
	if f.files > g.limits.FilesPerRun || f.claims > g.limits.ClaimsPerRun-spareClaims {
		return refuse(wire.ReasonTooLarge, "the run's workers and loaders would write %d files from %d pods, and %d files from %d pods may be of one run: use fewer workers, or make several runs of the workloads",
			f.files, f.claims, g.limits.FilesPerRun, g.limits.ClaimsPerRun-spareClaims)
	}
	return nil
}

// checkSuite says whether all runs of a suite could be kept until it ends. Suites may hold half of what is kept: see usages.
func (g *registry) checkSuite(needed wire.SuiteNeed) error {
	switch runs, bytes := g.limits.Runs/2, g.keepBytes/2; {
	case needed.Runs > runs:
		return refuse(wire.ReasonTooLarge, "the suite has %d runs, and %d may be of suites, which is half of those that are kept: use fewer trials, or raise results.maxRuns of kvbench's chart",
			needed.Runs, runs)
	case g.keepBytes > 0 && needed.Bytes > bytes:
		return refuse(wire.ReasonTooLarge, "the suite's %d runs would leave some %s, and %s may be of suites, which is half of what is kept: use fewer trials, measure for a shorter time, or raise results.keepBytes and results.storage.size of kvbench's chart",
			needed.Runs, need.Size(float64(needed.Bytes)), need.Size(float64(bytes)))
	}
	return nil
}

// makeRoom forgets runs for another one that needs so many bytes, if there is no room. It forgets
// none where that would not be enough.
func (g *registry) makeRoom(wanted need.Need) error {
	for {
		free, err := g.free()
		if err != nil {
			return err
		}
		judged := g.usages()
		lacking := int64(g.limits.ReserveBytes) + wanted.Bytes - int64(min(free, 1<<62))
		chosen, enough := makeWay(slices.Collect(maps.Values(judged)), g.ages.now(), g.limits.Runs, lacking)
		switch {
		case !enough && lacking > 0:
			return refuse(wire.ReasonFull, "the results server's volume has %s left, %s of it are kept free, and the run would leave %s: enlarge the volume, or lower results.keepBytes or results.keepAge of kvbench's chart",
				need.Size(float64(free)), need.Size(float64(g.limits.ReserveBytes)), wanted)
		case !enough:
			return refuse(wire.ReasonFull, "%d runs are kept, and none of them is over: raise results.maxRuns of kvbench's chart", len(judged))
		case len(chosen) == 0:
			return nil
		}
		for _, uid := range chosen {
			gone, err := g.forget(uid, judged[uid].still)
			if gone {
				g.log.Info("forgot a run to make room for another", "run", uid)
			}
			if err != nil {
				return err
			}
		}
	}
}
