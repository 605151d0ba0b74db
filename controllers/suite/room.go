package suite

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/storechart"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/need"
	"github.com/kvbench/kvbench/internal/results/wire"
	charts "github.com/kvbench/kvbench/internal/storechart"
	"github.com/kvbench/kvbench/internal/suite"
)

// room is what one block of a suite leaves at the results server. Each chart is rendered once for all that have its values.
type room struct {
	runs  int
	bytes int64
	// probes are the runs that try rates, once for all blocks.
	probes     int
	probeBytes int64
	refused    error // why the results server has no room for one of the runs
	rendered   map[string]error
}

// render renders the chart of a run. It returns what is wrong with it.
func (n *room) render(p *plan.Plan) error {
	key := p.Store.Chart + "\x00" + string(p.Store.Values)
	if _, known := n.rendered[key]; !known {
		n.rendered[key] = storechart.Check(p)
	}
	return n.rendered[key]
}

// add adds what a run leaves; nothing for one whose plan isn't known yet.
func (n *room) add(p *plan.Plan) {
	n.runs++
	if p != nil {
		n.bytes += need.Of(p).Bytes
	}
}

// addProbes adds the runs that try rates, each of which leaves as much as this one.
func (n *room) addProbes(p *plan.Plan, runs int) {
	n.probes += runs
	if p != nil {
		n.probeBytes += int64(runs) * need.Of(p).Bytes
	}
}

// addRun adds a run, and notes if its plan is too large, or if the results server has no room for what it leaves. Nobody else looks at
// that before the run has been made.
func (r *Reconciler) addRun(ctx context.Context, about string, p *plan.Plan, needed *room, problems *suite.Problems) error {
	needed.add(p)
	if p == nil {
		return nil
	}
	whole := *p
	var err error
	if whole.Store.EffectiveValues, err = charts.EffectiveValues(p); err != nil {
		return err
	}
	document, err := json.Marshal(whole)
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	noteRefusal(about, compile.CheckSize(document), problems)
	if len(*problems) == 0 && needed.refused == nil {
		if err := r.Results.Check(ctx, p.Run.UID, document); err != nil {
			needed.refused = fmt.Errorf("asking for room for a run of %s: %w", about, err)
		}
	}
	return nil
}

// checkRoom asks the results server whether it could keep all that the suite leaves, with no attempt repeated.
func (r *Reconciler) checkRoom(ctx context.Context, of *v1alpha1.BenchmarkSuite, block *room) error {
	trials := suite.Trials(&of.Spec)
	ask := wire.SuiteNeed{Runs: block.runs*trials + block.probes, Bytes: block.bytes*int64(trials) + block.probeBytes}
	if err := r.Results.CheckSuite(ctx, string(of.UID), ask); err != nil {
		if block.probes > 0 {
			return fmt.Errorf("asking for room for the suite's reports, of which up to %d are the search's: %w", block.probes, err)
		}
		return fmt.Errorf("asking for room for the suite's reports: %w", err)
	}
	return nil
}
