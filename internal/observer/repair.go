package observer

import (
	"context"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// repairEvery is how soon it is looked again whether a member needs help.
	repairEvery   = time.Second
	repairTimeout = time.Minute
)

// byOthers says that others make a cluster of the members: they ran before, or a chart of the run's
// author, or its operator, sees to it.
func byOthers(p *plan.Plan) bool { return p.Store.Existing || p.Store.OwnChart != nil }

// mayRepair says whether members are the run's to repair: those of others are if they may be hit
// by faults, which is what there is to repair.
func mayRepair(p *plan.Plan) bool { return !byOthers(p) || len(p.Faults) > 0 }

// repair helps members until ctx ends, one thing after the other, if they don't all come back by
// themselves. While all is well nobody is asked. Members of others are helped back to where they
// were: nothing is done before they have been steady.
func (w *watch) repair(ctx context.Context, others bool, say func(format string, args ...any)) error {
	repairer, ok := w.members.(stores.Repairer)
	if !ok {
		return nil
	}
	ticks := time.NewTicker(repairEvery)
	defer ticks.Stop()
	wereSteady, disturbed := !others, false
	for {
		latest := w.newest()
		wereSteady = wereSteady || latest != nil && latest.Steady
		// Once more after it: a member may have come back since the last look.
		before := disturbed
		disturbed = latest != nil && !latest.Steady
		if wereSteady && (disturbed || before) {
			did, err := repairer.Repair(ctx, repairTimeout)
			if err != nil && ctx.Err() == nil {
				say("repairing a member: %v", err)
			}
			w.keepRepair(did)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keepRepair keeps it for the next line, as far as a line may have it: members are called by what
// may be long addresses.
func (w *watch) keepRepair(did string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case did == "":
		return
	case w.repaired != "":
		did = w.repaired + "; " + did
	}
	w.repaired = strings.ToValidUTF8(did[:min(len(did), bundle.MaxRepairBytes)], "")
}

// takeRepair is what no line has yet.
func (w *watch) takeRepair() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	did := w.repaired
	w.repaired = ""
	return did
}
