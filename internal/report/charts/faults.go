package charts

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

const (
	leadMicros = 2_000_000  // that are shown before an injection
	tailMicros = 3_000_000  // after the service is back and the members are steady
	restMicros = 10_000_000 // after an injection without an outage
	maxMicros  = limits.MaxLookMicros
	mostBins   = 1500 // of one fault; bins are joined beyond that
	binMicros  = bundle.BinMillis * 1000
)

// faults has the bins around the injections of the workload that have an outage of their own.
func faults(m *read.Measured, w *plan.Workload, r *report.Report) []Fault {
	listed := []Fault{}
	for i := range r.Faults {
		f := &r.Faults[i]
		if f.Workload == w.Name && f.InjectedAt != nil && f.PartOf == "" && f.OverdueMicros != nil {
			listed = append(listed, around(m, f))
		}
	}
	return listed
}

func around(m *read.Measured, f *report.Fault) Fault {
	injected := f.InjectedAt.After.SinceStartMicros
	until := f.InjectedAt.Before.SinceStartMicros + restMicros
	for _, later := range []*report.Moment{f.BackAt, f.HealedAt} {
		if later != nil {
			until = max(until, later.SinceStartMicros+tailMicros)
		}
	}
	if f.OutageCensored {
		until = injected + maxMicros // as far as it was followed
	}
	until = min(until, injected+maxMicros)
	start := func(at report.FromMeasurement) instant.Bin { return m.Clock.Begin.Plus(int64(at)).Bin() }
	from, to := max(0, start(injected-leadMicros)), min(start(until), m.Clock.Recorded.Bin())
	joined := instant.Bin(1)
	for (to-from)/joined > mostBins {
		joined *= 2
	}
	to = from + (to-from)/joined*joined
	out := Fault{
		Name: f.Name, FromMicros: from.Begin().Since(m.Clock.Begin), BinMicros: int64(joined) * binMicros,
		Intended: make([]int64, max(0, to-from)/joined), Served: make([]int64, max(0, to-from)/joined),
	}
	if len(out.Intended) == 0 {
		return out
	}
	intended, served := make([]int64, to-from), make([]int64, to-from)
	m.Timeline.Count([]bundle.Series{0}, from, to, bundle.LateBucketOf(*f.OverdueMicros), intended, served)
	for i := range intended {
		out.Intended[i/int(joined)] += intended[i]
		out.Served[i/int(joined)] += served[i]
	}
	return out
}
