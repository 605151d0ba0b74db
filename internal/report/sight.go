package report

import (
	"math"

	"github.com/kvbench/kvbench/internal/plan"
)

// sight is what the members showed of an injection. Instants are in Unix nanoseconds, or, in clock's terms,
// microseconds from the workload's start.
type sight struct {
	nextNanos int64 // the next injection: what members show from then on may be its doing
	change    *sample
	// unmoved: the target was seen before and after, and it never changed, nor did who leads. A kill that
	// leaves its target so has hit nothing.
	unmoved bool
	// wholeMicros is when all members were steady again after the change; no whole where they weren't.
	wholeMicros int64
	whole       bool
	healing     int64 // before it nothing has healed
}

// look finds what the members showed until the next injection.
func (f *injection) look(c workloadClock, t topology, nextNanos int64) sight {
	after, injected := c.startNanos+f.impact.after*micro, c.startNanos+f.impact.before*micro
	if before := t.before(after); f.out.LeaderBefore == "" && before != nil {
		f.out.LeaderBefore, f.out.TermBefore = before.Leader, before.Term
	}
	until := min(nextNanos, injected+int64(maxSign))
	s := sight{nextNanos: nextNanos, change: t.firstChange(after, until, f.mayShow), healing: injected}
	// Before it was injected nothing heals, whatever else was seen to come and go.
	if hit := f.hit(t, after, injected); hit != nil {
		s.healing = hit.atNanos
	}
	if s.change == nil {
		s.unmoved = plan.EndsProcess(f.plan.Action) && f.stayed(t, after, injected, until)
		return s
	}
	// Operations suffer before the observer looks: a line in between is of old.
	s.healing = max(s.healing, s.change.atNanos)
	if steady := t.find(s.healing, nextNanos, func(l *sample) bool { return l.Steady }); steady != nil {
		s.wholeMicros, s.whole = c.fromStart(steady.atNanos), true
	}
	return s
}

// stayed says whether the target was seen before and after its injection, with all its records: one that
// was quickly back may have lost them.
func (f *injection) stayed(t topology, before, after, until int64) bool {
	last := t.before(before)
	if last.member(f.out.Target) == nil {
		return false
	}
	had, _ := last.recordsOf(f.out.Target)
	seen := t.find(after, until, func(l *sample) bool { return l.member(f.out.Target) != nil })
	fewer := t.find(after, until, func(l *sample) bool {
		has, _ := l.recordsOf(f.out.Target)
		return has != unknownRecords && has < had
	})
	return seen != nil && fewer == nil
}

// follow is until when outages have the injection for their cause, and whether its target wasn't whole by
// the end of what can be told of it. Where no member showed anything, there is nothing to wait for.
func (s sight) follow(q *impact) (until int64, unfinished bool) {
	until = q.before + maxSign.Microseconds()
	switch {
	case s.change == nil:
		return until, false
	case !s.whole || s.wholeMicros >= q.until:
		return math.MaxInt64, true
	}
	return max(until, s.wholeMicros+settledMicros), false
}

// mayShow says whether a change is of this fault's making. A kill shows in its own target, or in who leads:
// others come and go for reasons of their own.
func (f *injection) mayShow(before, after *sample) bool {
	if !plan.EndsProcess(f.plan.Action) || f.out.Target == "" {
		return true
	}
	if before.Leader != after.Leader || before.Term != after.Term {
		return true
	}
	was, is := before.member(f.out.Target), after.member(f.out.Target)
	return was == nil || is == nil || !sameMember(*was, *is)
}

// observe puts together what clients and members showed.
func (f *injection) observe(m *Measured, t topology, consensus bool, o outage, seen sight) {
	c := m.clock
	after := c.startNanos + f.impact.after*micro
	effective := int64(math.MaxInt64)
	by := ByOperation
	if o.affected && !seen.unmoved && o.first < f.impact.before+maxSign.Microseconds() {
		effective = c.startNanos + o.first*micro
	}
	if seen.change != nil && seen.change.atNanos < effective {
		effective, by = seen.change.atNanos, ByTopology
	}
	if effective == math.MaxInt64 {
		return
	}
	f.out.EffectiveAt, f.out.EffectiveBy = c.moment(c.fromStart(effective)), &by
	if bracket := f.impact.before >= f.impact.until; bracket && !o.affected && !f.impact.unfinished && effective < c.startNanos+f.impact.until*micro {
		f.out.OutageCensored = false // operations went on after it
	}
	healing := max(effective, seen.healing)
	if healed := t.find(healing, seen.nextNanos, func(l *sample) bool { return l.Steady }); healed != nil {
		f.out.HealedAt = c.moment(c.fromStart(healed.atNanos))
	}
	f.observeLeader(t, consensus, after, effective, seen.nextNanos)
	f.observeLoss(c, t, m.latencies.any(deletes), seen.nextNanos)
}

// hit is the first sample in [from, until) that shows the target away, or as another process.
func (f *injection) hit(t topology, from, until int64) *sample {
	before := t.before(from).member(f.out.Target)
	return t.find(from, until, func(l *sample) bool {
		m := l.member(f.out.Target)
		return m != nil && (!m.Healthy || before != nil && m.Process != before.Process)
	})
}
