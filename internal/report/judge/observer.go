package judge

import (
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// silence is the longest time without a line of the observer around a fault, and when it began. It looks from before the
// injection until the fault has ended and is healed, and the service is back, or until the end of the record if one of
// these wasn't seen.
func silence(in *read.Input, w *plan.Workload, f *report.Fault) (gap time.Duration, at instant.Unix) {
	c := in.Workloads[w.Name].Clock
	recorded := c.Unix(c.Recorded)
	until := c.OfMoment(&f.InjectedAt.Before)
	switch {
	case f.HealedAt != nil:
		until = max(until, c.OfMoment(f.HealedAt))
	case f.EffectiveAt != nil:
		until = max(until, recorded)
	}
	if f.EndedAt != nil {
		until = max(until, c.OfMoment(&f.EndedAt.Before))
	}
	if f.BackAt != nil {
		until = max(until, c.OfMoment(f.BackAt))
	}
	return in.Topology.WidestGap(c.OfMoment(&f.InjectedAt.After).Plus(-int64(limits.TopologyLead)), until)
}
