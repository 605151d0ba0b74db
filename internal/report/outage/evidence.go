package outage

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/topology"
)

const (
	// settledMicros is how long after its target is whole again a fault may still be the cause of an outage: a
	// member that is back takes its share of the work.
	settledMicros = 5_000_000

	// maxSign bounds how long after an injection a change of the members, or the begin of an outage, is a sign of it.
	// The observer looks four times a second.
	maxSign = 10 * time.Second
)

// evidence is what the observer saw the members do around an injection.
type evidence struct {
	next   instant.Unix // the next injection: what members show from then on may be its doing
	change *topology.Sample
	// unmoved: the target was seen before and after the injection, and neither it nor the leader changed. Then a
	// kill has hit nothing.
	unmoved bool
	// wholeAt is when all members were steady again after the change. whole says that they were.
	wholeAt instant.FromStart
	whole   bool
	healing instant.Unix // the fault can't have healed before
}

// look finds what the members showed until the next injection.
func (f *injection) look(c instant.Clock, t topology.Topology, next instant.Unix) evidence {
	after, injected := c.Unix(f.impact.after), c.Unix(f.impact.before)
	if before := t.Before(after); f.out.LeaderBefore == "" && before != nil {
		f.out.LeaderBefore, f.out.TermBefore = before.Leader, before.Term
	}
	until := min(next, injected.Plus(int64(maxSign)))
	s := evidence{next: next, change: t.FirstChange(after, until, f.mayShow), healing: injected}
	// A fault can't heal before it is injected, whatever members came and went.
	if hit := f.hit(t, after, injected); hit != nil {
		s.healing = hit.At
	}
	if s.change == nil {
		s.unmoved = f.action.EndsProcess && f.stayed(t, after, injected, until)
		return s
	}
	// An operation is affected before the observer looks. A line in between shows the state before the fault.
	s.healing = max(s.healing, s.change.At)
	if steady := t.Find(s.healing, next, func(l *topology.Sample) bool { return l.Steady }); steady != nil {
		s.wholeAt, s.whole = c.FromStart(steady.At), true
	}
	return s
}

// stayed says whether the target was seen before and after its injection with all its records. A target that was quickly
// back may have lost them.
func (f *injection) stayed(t topology.Topology, before, after, until instant.Unix) bool {
	last := t.Before(before)
	if last.Member(f.out.Target) == nil {
		return false
	}
	had, _ := last.RecordsOf(f.out.Target)
	seen := t.Find(after, until, func(l *topology.Sample) bool { return l.Member(f.out.Target) != nil })
	fewer := t.Find(after, until, func(l *topology.Sample) bool {
		has, _ := l.RecordsOf(f.out.Target)
		return has != topology.UnknownRecords && has < had
	})
	return seen != nil && fewer == nil
}

// follow is until when the injection can be the cause of outages, and whether the store wasn't whole again by then. If no
// member changed, there is nothing to wait for.
func (s evidence) follow(q *impact) (until instant.FromStart, unfinished bool) {
	until = q.before.Plus(maxSign.Microseconds())
	switch {
	case s.change == nil:
		return until, false
	case !s.whole || s.wholeAt >= q.until:
		return math.MaxInt64, true
	}
	return max(until, s.wholeAt+settledMicros), false
}

// mayShow says whether this fault can be the cause of a change. A kill shows in its own target or in who leads. Other
// members come and go for other reasons.
func (f *injection) mayShow(before, after *topology.Sample) bool {
	if !f.action.EndsProcess || f.out.Target == "" {
		return true
	}
	if before.Leader != after.Leader || before.Term != after.Term {
		return true
	}
	was, is := before.Member(f.out.Target), after.Member(f.out.Target)
	return was == nil || is == nil || !topology.SameMember(*was, *is)
}

// conclude puts together what clients and members showed.
func (f *injection) conclude(m *read.Measured, t topology.Topology, consensus bool, o outage, seen evidence) {
	c := m.Clock
	after, effective := c.Unix(f.impact.after), never
	by := report.ByOperation
	if o.affected && !seen.unmoved && o.first < f.impact.before.Plus(maxSign.Microseconds()) {
		effective = c.Unix(o.first)
	}
	if seen.change != nil && seen.change.At < effective {
		effective, by = seen.change.At, report.ByTopology
	}
	if effective == never {
		return
	}
	f.out.EffectiveAt, f.out.EffectiveBy = c.Moment(c.FromStart(effective)), &by
	if bracket := f.impact.before >= f.impact.until; bracket && !o.affected && !f.impact.unfinished && effective < c.Unix(f.impact.until) {
		f.out.OutageCensored = false // operations went on after it
	}
	healing := max(effective, seen.healing)
	if healed := t.Find(healing, seen.next, func(l *topology.Sample) bool { return l.Steady }); healed != nil {
		f.out.HealedAt = c.Moment(c.FromStart(healed.At))
	}
	f.concludeLeader(t, consensus, after, effective, seen.next)
	f.concludeLoss(c, t, m.Latencies.Any(latency.Deletes), seen.next)
}

// hit is the first sample in [from, until) that shows the target away, or as another process.
func (f *injection) hit(t topology.Topology, from, until instant.Unix) *topology.Sample {
	before := t.Before(from).Member(f.out.Target)
	return t.Find(from, until, func(l *topology.Sample) bool {
		m := l.Member(f.out.Target)
		return m != nil && (!m.Healthy || before != nil && m.Process != before.Process)
	})
}
