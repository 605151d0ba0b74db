package outage

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// report notes the outages of each view.
func (f *injection) report(c instant.Clock, o *outage) {
	total, count := o.total, len(o.begins)
	f.out.DownTotalMicros, f.out.Outages = &total, &count
	f.out.Series, f.out.NotResolved = []report.FaultSeries{}, []report.SeriesName{}
	for i := range o.views {
		v := &o.views[i]
		line := report.FaultSeries{
			Operation: v.kind, Shard: v.shard, OutageMicros: v.longest.length(), Outages: len(v.intervals), DownMicros: v.total,
		}
		for _, one := range v.intervals {
			line.Censored = line.Censored || one.censored
		}
		if len(v.intervals) > 0 {
			line.DownAt, line.BackAt = c.Moment(v.longest.start), c.Moment(v.longest.end)
		}
		f.out.Series = append(f.out.Series, line)
	}
	for _, v := range o.thin {
		f.out.NotResolved = append(f.out.NotResolved, report.SeriesName{Operation: v.kind, Shard: v.shard})
	}
}
