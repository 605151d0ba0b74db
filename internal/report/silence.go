package report

import (
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

// silence is the longest time without a line of the observer around a fault: from before
// the injection until it is healed and the service is back, or the end of the record when
// one of them isn't seen.
func silence(in *Input, w *plan.Workload, f *Fault) (gap time.Duration, atNanos int64) {
	c := in.Workloads[w.Name].clock
	nanos := func(m *Moment) int64 { return c.measurementNanos() + m.SinceStartMicros*micro }
	recorded := c.startNanos + c.recordedMicros*micro
	until := nanos(&f.InjectedAt.Before)
	switch {
	case f.HealedAt != nil:
		until = max(until, nanos(f.HealedAt))
	case f.EffectiveAt != nil:
		until = max(until, recorded)
	}
	if f.BackAt != nil {
		until = max(until, nanos(f.BackAt))
	}
	return in.Topology.widestGap(nanos(&f.InjectedAt.After)-int64(topologyLead), until)
}
