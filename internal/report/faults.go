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

// maxSign bounds how long after an injection a change of the members, or the first operation that is
// affected, is a sign of it. The observer looks four times a second.
const maxSign = 10 * time.Second

// injection is a planned fault, what the controller wrote of it, and what came of it.
type injection struct {
	plan   *plan.Fault
	line   *bundle.FaultLine // nil without one
	out    Fault
	impact impact // when injected and the workload was measured
	others bool   // what earlier ones did had not healed by then
}

// healedBefore says whether all members were steady again before the other one.
func (f *injection) healedBefore(other *injection) bool {
	return f.out.HealedAt != nil && f.out.HealedAt.SinceStartMicros < other.out.InjectedAt.After.SinceStartMicros
}

// mayShow says whether a change may be of this fault's making. While members still come back from another
// one, a kill shows in its own target and in who leads.
func (f *injection) mayShow(before, after *sample) bool {
	kills := f.plan.Action == plan.ActionContainerKill || f.plan.Action == plan.ActionPodKill
	if !kills || !f.others || f.out.Target == "" {
		return true
	}
	if before.Leader != after.Leader || before.Term != after.Term {
		return true
	}
	was, is := before.member(f.out.Target), after.member(f.out.Target)
	return was == nil || is == nil || !sameMember(*was, *is)
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
		f.others = slices.ContainsFunc(inOrder[:i], func(earlier *injection) bool { return !earlier.healedBefore(f) })
		next := int64(math.MaxInt64)
		if i+1 < len(inOrder) {
			next = injectedAfter(inOrder[i+1])
		}
		o, err := f.measure(m, w, windows, next)
		if err != nil {
			return nil, nil, err
		}
		f.observe(m, in.Topology, in.Plan.Store.Consensus, o, min(next, f.nextNanos(in.Faults)))
		windows = append(windows, window{
			from: m.clock.rowOf(f.impact.after),
			to:   m.clock.rowOf(max(o.end, o.apart, f.impact.before)),
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
		f := &injection{plan: p, out: Fault{Name: p.Name, Workload: p.Workload, Action: p.Action, Role: p.Target.Role}}
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
func (f *injection) measure(m *Measured, w *plan.Workload, windows []window, nextNanos int64) (outage, error) {
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
	o := measureOutage(m.timeline, *q)

	overdue, lasted, gap := bundle.LateBound(q.bucket), o.end-o.start, o.gap
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

// observe finds what the observer saw of the fault.
func (f *injection) observe(m *Measured, t topology, consensus bool, o outage, nextNanos int64) {
	c := m.clock
	after := c.startNanos + f.impact.after*micro
	if before := t.before(after); f.out.LeaderBefore == "" && before != nil {
		f.out.LeaderBefore, f.out.TermBefore = before.Leader, before.Term
	}
	injected := c.startNanos + f.impact.before*micro
	change := t.firstChange(after, min(nextNanos, injected+int64(maxSign)), f.mayShow)
	effective := int64(math.MaxInt64)
	by := ByOperation
	if o.affected && o.first < f.impact.before+maxSign.Microseconds() {
		effective = c.startNanos + o.first*micro
	}
	if change != nil && change.atNanos < effective {
		effective, by = change.atNanos, ByTopology
	}
	if effective == math.MaxInt64 {
		return
	}
	f.out.EffectiveAt, f.out.EffectiveBy = c.moment(c.fromStart(effective)), &by
	if !o.affected && effective < c.startNanos+f.impact.until*micro {
		f.out.OutageCensored = false // operations went on after it
	}
	// Before it was injected nothing heals, whatever else was seen to come and go.
	if hit := f.hit(t, after, injected); hit != nil {
		injected = hit.atNanos
	}
	healing := max(effective, injected)
	if change != nil {
		// Operations suffer before the observer looks: a line in between is of old.
		healing = max(healing, change.atNanos)
	}
	if healed := t.find(healing, nextNanos, func(l *sample) bool { return l.Steady }); healed != nil {
		f.out.HealedAt = c.moment(c.fromStart(healed.atNanos))
	}
	f.observeLeader(t, consensus, after, effective, nextNanos)
	f.observeLoss(c, t, m.latencies.any(deletes), nextNanos)
}

// hit is the first sample in [from, until) that shows the target away, or as another process.
func (f *injection) hit(t topology, from, until int64) *sample {
	before := t.before(from).member(f.out.Target)
	return t.find(from, until, func(l *sample) bool {
		m := l.member(f.out.Target)
		return m != nil && (!m.Healthy || before != nil && m.Process != before.Process)
	})
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
