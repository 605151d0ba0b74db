// Package outage finds what each fault did to a workload's clients and to the store's members: when it worked, how long
// the service was away, and when it was back. It is a pure function of what was read.
package outage

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// Faults finds out what each fault of a workload did, in the plan's order, and the
// seconds in which faults were at work.
func Faults(in *read.Input, w *plan.Workload, clockMicros *int64) ([]report.Fault, []instant.Window, error) {
	planned := plannedFaults(in, w)
	windows := []instant.Window{}
	if in.Workloads[w.Name] != nil {
		episodes := episodesOf(planned)
		for i, e := range episodes {
			next := never
			if i+1 < len(episodes) {
				next = injectedAfter(episodes[i+1].faults[0])
			}
			window, err := e.measure(in, w, clockMicros, windows, next)
			if err != nil {
				return nil, nil, err
			}
			windows = append(windows, window)
		}
	}
	out := []report.Fault{}
	for _, f := range planned {
		out = append(out, f.out)
	}
	return out, windows, nil
}

func plannedFaults(in *read.Input, w *plan.Workload) []*injection {
	var planned []*injection
	for i := range in.Plan.Faults {
		p := &in.Plan.Faults[i]
		if p.Workload != w.Name {
			continue
		}
		action, _ := faults.Find(p.Action) // read.Bundle has noted one that isn't known
		f := &injection{plan: p, action: action, line: in.FaultLine(p), out: report.Fault{Name: p.Name, Workload: p.Workload, Action: p.Action, Role: p.Target.Role, Series: []report.FaultSeries{}, NotResolved: []report.SeriesName{}}}
		if m := in.Workloads[w.Name]; m != nil {
			f.out.DueAt = m.Clock.Moment(m.Clock.Begin.Plus(p.AtMillis * 1000))
		}
		if f.line != nil {
			f.tell(in.Workloads[w.Name])
		}
		planned = append(planned, f)
	}
	return planned
}

// tell reports what the controller wrote. The workload is nil if it was not measured.
func (f *injection) tell(m *read.Measured) {
	l := f.line
	f.out.Target, f.out.Targets, f.out.Peers = l.Target, l.Targets, l.Peers
	f.out.Late, f.out.Reason, f.out.Error = l.Late, report.Truncate(l.Reason, report.MaxErrorText), report.Truncate(l.Error, report.MaxErrorText)
	f.out.LeaderBefore, f.out.TermBefore = l.LeaderBefore, l.TermBefore
	if f.action.Lasts {
		micros := l.DurationMillis * 1000
		f.out.DurationMicros = &micros
	}
	if m != nil && l.RequestedUnixNanos > 0 {
		f.out.RequestedAt = m.Clock.Moment(m.Clock.FromStart(instant.Unix(l.RequestedUnixNanos)))
	}
}

// measure finds the outage of the episode, of which this fault is the first. windows are those of the episodes before it.
// The latencies in them must not raise the threshold from which on an operation is overdue.
func (f *injection) measure(m *read.Measured, w *plan.Workload, windows []instant.Window, nextInjection instant.Unix, e *episode) (outage, error) {
	c := m.Clock
	next := instant.FromStart(math.MaxInt64)
	if nextInjection != never {
		next = c.FromStart(nextInjection)
	}
	// A row that reaches past the injection has operations that the fault hit.
	injectionSecond := c.RowOf(f.impact.after)
	p99, err := m.Latencies.P99Before(injectionSecond, windows)
	if err != nil {
		return outage{}, err
	}
	var known int64
	if p99 != nil {
		known = *p99
	}
	q := &f.impact
	q.bucket = overdueBucket(known)
	q.until = min(c.End, next)
	q.end = min(c.Recorded, next, q.after+limits.MaxLookMicros)
	q.after = min(q.after, c.Recorded)
	q.closed = w.Load.Rate == 0
	q.follow, q.unfinished = e.follow(q)
	o := measureOutage(m.Timeline, *q)
	f.report(c, &o)

	overdue, lasted, gap := bundle.LateBound(q.bucket), o.length(), o.gap
	f.out.P99BeforeMicros, f.out.OverdueMicros = p99, &overdue
	f.out.OutageMicros, f.out.OutageCensored, f.out.LongestGapMicros = &lasted, o.censored, &gap
	f.out.LimitedByClient, f.out.AwayBefore = o.limited, o.awayBefore
	var off int64
	if o.affected {
		f.out.DownAt, f.out.BackAt = c.Moment(o.start), c.Moment(o.end)
		off = m.Latencies.LagAround(o.start) + m.Latencies.LagAround(o.end)
	}
	f.out.OutageErrorMicros = &off
	return o, nil
}
