package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// maxLookMicros bounds how long after an injection its outage is followed: an hour, then
// it is censored.
const maxLookMicros = 3_600_000_000

// maxSeriesLookMicros is the same for views that aren't of all operations: five minutes.
const maxSeriesLookMicros = 300_000_000

// settledMicros is how long after its target is whole again a fault may still be the cause of an outage: a
// member that is back takes its share of the work.
const settledMicros = 5_000_000

// maxSign bounds how long after an injection a change of the members, or the begin of an outage, is a sign of it. The observer looks four times a second.
const maxSign = 10 * time.Second

// injection is a planned fault, what the controller wrote of it, and what came of it.
type injection struct {
	plan   *plan.Fault
	line   *bundle.FaultLine // nil without one
	out    Fault
	impact impact // when injected and the workload was measured
}

func (f *injection) injected() bool { return f.line != nil && wasInjected(f.line) }

func wasInjected(l *bundle.FaultLine) bool {
	return l.InjectedAfterUnixNanos > 0 && l.InjectedBeforeUnixNanos >= l.InjectedAfterUnixNanos
}

// nextNanos is when the next fault of any workload was injected, at the earliest: what members show
// from then on may be its doing.
func (f *injection) nextNanos(all []bundle.FaultLine) int64 {
	next := int64(math.MaxInt64)
	for i := range all {
		if l := &all[i]; wasInjected(l) && l.InjectedAfterUnixNanos > f.line.InjectedAfterUnixNanos {
			next = min(next, l.InjectedAfterUnixNanos)
		}
	}
	return next
}

// mergeFaults finds out what each fault of a workload did, in the plan's order, and the
// seconds in which faults were at work.
func mergeFaults(in *Input, w *plan.Workload, clockMicros *int64) ([]Fault, []window, error) {
	planned := plannedFaults(in, w)
	m := in.Workloads[w.Name]
	inOrder := slices.Clone(planned)
	slices.SortStableFunc(inOrder, func(a, b *injection) int { return cmp.Compare(injectedAfter(a), injectedAfter(b)) })

	windows := []window{}
	for i, f := range inOrder {
		if m == nil || !f.injected() {
			continue
		}
		f.place(m.clock, clockMicros)
		next := int64(math.MaxInt64)
		if i+1 < len(inOrder) {
			next = injectedAfter(inOrder[i+1])
		}
		f.impact.members = in.Plan.Store.Members
		seen := f.look(m.clock, in.Topology, min(next, f.nextNanos(in.Faults)))
		o, err := f.measure(m, w, windows, next, seen)
		if err != nil {
			return nil, nil, err
		}
		f.observe(m, in.Topology, in.Plan.Store.Consensus, o, seen)
		windows = append(windows, window{
			from: m.clock.rowOf(f.impact.after),
			to:   m.clock.rowOf(max(o.last, o.apart, f.impact.before)),
		})
	}
	out := []Fault{}
	for _, f := range planned {
		out = append(out, f.out)
	}
	return out, windows, nil
}

func plannedFaults(in *Input, w *plan.Workload) []*injection {
	var planned []*injection
	for i := range in.Plan.Faults {
		p := &in.Plan.Faults[i]
		if p.Workload != w.Name {
			continue
		}
		f := &injection{plan: p, out: Fault{Name: p.Name, Workload: p.Workload, Action: p.Action, Role: p.Target.Role, Series: []FaultSeries{}, NotResolved: []SeriesName{}}}
		for j := range in.Faults {
			if l := &in.Faults[j]; l.Name == p.Name && l.Workload == p.Workload {
				f.line = l
				break
			}
		}
		if m := in.Workloads[w.Name]; m != nil {
			f.out.DueAt = m.clock.moment(m.clock.warmupMicros + p.AtMillis*1000)
		}
		if f.line != nil {
			f.out.Target, f.out.Late, f.out.Error = f.line.Target, f.line.Late, cut(f.line.Error, maxErrorText)
			f.out.LeaderBefore, f.out.TermBefore = f.line.LeaderBefore, f.line.TermBefore
			if m := in.Workloads[w.Name]; m != nil && f.line.RequestedUnixNanos > 0 {
				f.out.RequestedAt = m.clock.moment(m.clock.fromStart(f.line.RequestedUnixNanos))
			}
		}
		planned = append(planned, f)
	}
	return planned
}

// injectedAfter sorts faults; those that weren't injected come last.
func injectedAfter(f *injection) int64 {
	if !f.injected() {
		return math.MaxInt64
	}
	return f.line.InjectedAfterUnixNanos
}

// place puts the injection's bracket, widened by the errors of both clocks: the workers'
// and the controller's.
func (f *injection) place(c workloadClock, clockMicros *int64) {
	bound := *microsUp(&f.line.ClockBoundNanos)
	if clockMicros != nil {
		bound += *clockMicros
	}
	bound = min(bound, maxWideningMicros)
	f.impact.after = max(0, c.fromStart(f.line.InjectedAfterUnixNanos)-bound)
	f.impact.before = max(f.impact.after, c.fromStart(f.line.InjectedBeforeUnixNanos)+bound)
	f.out.InjectedAt = &Bracket{After: *c.moment(f.impact.after), Before: *c.moment(f.impact.before)}
}

// measure finds the outage. windows are those of the faults before: what they did to
// latencies must not raise the threshold of "overdue" for this one.
func (f *injection) measure(m *Measured, w *plan.Workload, windows []window, nextNanos int64, seen sight) (outage, error) {
	c := m.clock
	next := int64(math.MaxInt64)
	if nextNanos != math.MaxInt64 {
		next = c.fromStart(nextNanos)
	}
	// A row that reaches past the injection holds what the fault did.
	injectionSecond := c.rowOf(f.impact.after)
	p99, err := m.latencies.p99Before(injectionSecond, windows)
	if err != nil {
		return outage{}, err
	}
	var known int64
	if p99 != nil {
		known = *p99
	}
	q := &f.impact
	q.bucket = overdueBucket(known)
	q.until = min(c.endMicros, next)
	q.end = min(c.recordedMicros, next, q.after+maxLookMicros)
	q.after = min(q.after, c.recordedMicros)
	q.closed = w.Load.Rate == 0
	q.follow, q.unfinished = seen.follow(q)
	o := measureOutage(m.timeline, *q)
	f.tell(c, &o)

	overdue, lasted, gap := bundle.LateBound(q.bucket), o.length(), o.gap
	f.out.P99BeforeMicros, f.out.OverdueMicros = p99, &overdue
	f.out.OutageMicros, f.out.OutageCensored, f.out.LongestGapMicros = &lasted, o.censored, &gap
	f.out.LimitedByClient, f.out.AwayBefore = o.limited, o.awayBefore
	var off int64
	if o.affected {
		f.out.DownAt, f.out.BackAt = c.moment(o.start), c.moment(o.end)
		off = m.latencies.lagAround(o.start) + m.latencies.lagAround(o.end)
	}
	f.out.OutageErrorMicros = &off
	return o, nil
}

// observeLeader finds the leader after the fault. One that hit the leader is effective
// only if another one, or a new term, followed, unless the leader is always the same member.
func (f *injection) observeLeader(t topology, consensus bool, after, effective, until int64) {
	succeeded := func(l *sample) bool {
		return l.Leader != "" && (l.Leader != f.out.LeaderBefore || l.Term > f.out.TermBefore)
	}
	f.out.Effective = true
	var next *sample
	if consensus && f.hitLeader() {
		next = t.find(after, until, succeeded)
		f.out.Effective = next != nil
	}
	if next == nil {
		next = t.find(effective, until, func(l *sample) bool { return l.Leader != "" })
	}
	if next != nil {
		f.out.LeaderAfter, f.out.TermAfter = next.Leader, next.Term
		if consensus && next.Leader != f.out.LeaderBefore {
			f.out.TermAfter = t.electedIn(next, f.out.TermBefore, until)
		}
	}
}

func (f *injection) hitLeader() bool {
	return f.plan.Target.Role == plan.RoleLeader || (f.out.LeaderBefore != "" && f.out.Target == f.out.LeaderBefore)
}
