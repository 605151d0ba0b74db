package suite

import (
	"context"
	"fmt"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/storechart"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/need"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite"
)

// room is what one block of a suite leaves at the results server. Each combination is rendered once for all that have its values.
type room struct {
	bytes    int64
	rendered map[string]error
}

// add renders the chart of a combination, and adds what its run leaves.
func (n *room) add(p *plan.Plan) error {
	key := p.Store.Chart + "\x00" + string(p.Store.Values)
	if _, known := n.rendered[key]; !known {
		n.rendered[key] = storechart.Check(p)
	}
	n.bytes += need.Of(p).Bytes
	return n.rendered[key]
}

// checkRoom asks the results server whether it could keep all that the suite leaves, with no attempt repeated.
func (r *Reconciler) checkRoom(ctx context.Context, of *v1alpha1.BenchmarkSuite, block *room, combinations int) error {
	trials := suite.Trials(&of.Spec)
	ask := wire.SuiteNeed{Runs: combinations * trials, Bytes: block.bytes * int64(trials)}
	if err := r.Results.CheckSuite(ctx, string(of.UID), ask); err != nil {
		return fmt.Errorf("asking for room for the suite's reports: %w", err)
	}
	return nil
}
