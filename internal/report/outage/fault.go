// Package outage finds what each fault did to a workload's clients and to the store's members: when it worked, how long
// the service was away, and when it was back. It is a pure function of what was read.
package outage

import (
	"cmp"
	"math"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/clocks"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// Faults finds out what each fault of a workload did, in the plan's order, and the
// seconds in which faults were at work.
func Faults(in *read.Input, w *plan.Workload, clockMicros *int64) ([]report.Fault, []instant.Window, error) {
	planned := plannedFaults(in, w)
	m := in.Workloads[w.Name]
	inOrder := slices.Clone(planned)
	slices.SortStableFunc(inOrder, func(a, b *injection) int { return cmp.Compare(injectedAfter(a), injectedAfter(b)) })

	windows := []instant.Window{}
	for i, f := range inOrder {
		if m == nil || !f.injected() {
			continue
		}
		f.place(m.Clock, clockMicros)
		next := never
		if i+1 < len(inOrder) {
			next = injectedAfter(inOrder[i+1])
		}
		f.impact.members = in.Plan.Store.Members
		seen := f.look(m.Clock, in.Topology, min(next, f.next(in.Faults)))
		o, err := f.measure(m, w, windows, next, seen)
		if err != nil {
			return nil, nil, err
		}
		f.conclude(m, in.Topology, in.Plan.Store.Consensus, o, seen)
		windows = append(windows, instant.Window{
			From: m.Clock.RowOf(f.impact.after),
			To:   m.Clock.RowOf(max(o.last, o.apart, f.impact.before)),
		})
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
		action, _ := faults.Find(p.Action)
		f := &injection{plan: p, action: action, line: in.FaultLine(p), out: report.Fault{Name: p.Name, Workload: p.Workload, Action: p.Action, Role: p.Target.Role, Series: []report.FaultSeries{}, NotResolved: []report.SeriesName{}}}
		if m := in.Workloads[w.Name]; m != nil {
			f.out.DueAt = m.Clock.Moment(m.Clock.Begin.Plus(p.AtMillis * 1000))
		}
		if f.line != nil {
			f.out.Target, f.out.Late, f.out.Error = f.line.Target, f.line.Late, report.Truncate(f.line.Error, report.MaxErrorText)
			f.out.LeaderBefore, f.out.TermBefore = f.line.LeaderBefore, f.line.TermBefore
			if m := in.Workloads[w.Name]; m != nil && f.line.RequestedUnixNanos > 0 {
				f.out.RequestedAt = m.Clock.Moment(m.Clock.FromStart(instant.Unix(f.line.RequestedUnixNanos)))
			}
		}
		planned = append(planned, f)
	}
	return planned
}

// place sets the injection's bracket, and widens it by the errors of the workers' clocks and of the controller's.
func (f *injection) place(c instant.Clock, clockMicros *int64) {
	bound := *clocks.MicrosUp(&f.line.ClockBoundNanos)
	if clockMicros != nil {
		bound += *clockMicros
	}
	bound = min(bound, limits.MaxWideningMicros)
	f.impact.after = max(0, c.FromStart(instant.Unix(f.line.InjectedAfterUnixNanos)).Plus(-bound))
	f.impact.before = max(f.impact.after, c.FromStart(instant.Unix(f.line.InjectedBeforeUnixNanos)).Plus(bound))
	f.out.InjectedAt = &report.Bracket{After: *c.Moment(f.impact.after), Before: *c.Moment(f.impact.before)}
}

// measure finds the outage. windows are those of the faults before it. The latencies in them must not raise the threshold
// from which on an operation is overdue.
func (f *injection) measure(m *read.Measured, w *plan.Workload, windows []instant.Window, nextInjection instant.Unix, seen evidence) (outage, error) {
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
	q.follow, q.unfinished = seen.follow(q)
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
