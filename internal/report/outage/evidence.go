package outage

import (
	"math"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/topology"
	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// settledMicros is how long after its target is whole again a fault may still be the cause of an outage: a
	// member that is back takes its share of the work.
	settledMicros = 5_000_000

	// maxSign bounds how long after an injection, or after the end of a fault that lasts, a change of the members, or the
	// begin of an outage, is a sign of it. The observer looks four times a second.
	maxSign = 10 * time.Second
)

// evidence is what the observer saw the members do around an injection.
type evidence struct {
	change *topology.Sample
	// unmoved: the target was seen before and after the injection, and neither it nor the leader changed. Then a
	// kill has hit nothing.
	unmoved bool
	healing instant.Unix // the fault can't have healed before
}

// look finds what the members showed of the fault until the next injection outside of its episode.
func (f *injection) look(c instant.Clock, t topology.Topology, next instant.Unix) {
	after, injected := c.Unix(f.impact.after), c.Unix(f.impact.before)
	if before := t.Before(after); f.out.LeaderBefore == "" && before != nil {
		f.out.LeaderBefore, f.out.TermBefore = before.Leader, before.Term
	}
	until := min(next, c.Unix(f.ended).Plus(int64(maxSign)))
	f.seen = evidence{healing: injected, change: t.FirstChange(after, until, func(before, after *topology.Sample) bool {
		return f.mayShow(before, after, f.soon(c.FromStart(after.At)))
	})}
	// A fault can't heal before it is injected, whatever members came and went.
	if hit := f.hit(t, after, injected); hit != nil {
		f.seen.healing = hit.At
	}
	if f.seen.change == nil {
		f.seen.unmoved = f.action.EndsProcess && f.stayed(t, after, injected, until)
	} else {
		// An operation is affected before the observer looks. A line in between shows the state before the fault.
		f.seen.healing = max(f.seen.healing, f.seen.change.At)
	}
	switch {
	case !f.action.Lasts:
	case f.out.EndedAt == nil:
		f.seen.healing = never
	default:
		// Until then members may look steady, such as an old leader that doesn't know yet of the next one.
		f.seen.healing = max(f.seen.healing, c.Unix(f.ended))
	}
}

// stayed says whether all targets were seen before and after their injection with all their records. A target that was
// quickly back may have lost them.
func (f *injection) stayed(t topology.Topology, before, after, until instant.Unix) bool {
	last := t.Before(before)
	for _, target := range f.out.Hit() {
		if last.Member(target) == nil {
			return false
		}
		had, _ := last.RecordsOf(target)
		seen := t.Find(after, until, func(l *topology.Sample) bool { return l.Member(target) != nil })
		fewer := t.Find(after, until, func(l *topology.Sample) bool {
			has, _ := l.RecordsOf(target)
			return has != topology.UnknownRecords && has < had
		})
		if seen == nil || fewer != nil {
			return false
		}
	}
	return len(f.out.Hit()) > 0
}

// follow is until when the episode can be the cause of outages, and whether the store wasn't whole again by then. If no
// member changed, and no fault lasted, there is nothing to wait for.
func (e *episode) follow(q *impact) (until instant.FromStart, unfinished bool) {
	until = q.ended.Plus(maxSign.Microseconds())
	switch {
	case !e.waits:
		return until, false
	case !e.whole || e.wholeAt >= q.until:
		return math.MaxInt64, true
	}
	return max(until, e.wholeAt+settledMicros), false
}

// soon says whether an instant is less than maxSign after the injection, or after the end. If nobody saw the end, it may
// have been at any time.
func (f *injection) soon(at instant.FromStart) bool {
	span := maxSign.Microseconds()
	return at < f.impact.before.Plus(span) || at >= f.endedAfter && at < f.ended.Plus(span)
}

// mayShow says whether this fault can be the cause of a change. A kill, or a fault that lasts, shows in its own targets, or
// soon in who leads. So does one that separates its targets from peers in a peer that answers, and isn't healthy any more:
// it misses the target. Other members come and go for other reasons. Once another fault was injected, only targets are a
// sign.
func (f *injection) mayShow(before, after *topology.Sample, soon bool) bool {
	targets := f.out.Hit()
	if !f.action.EndsProcess && !f.action.Lasts || len(targets) == 0 {
		return true
	}
	alone := after.At < f.alone
	leads := alone && soon
	switch {
	case leads && (before.Leader != after.Leader || before.Term != after.Term):
		return true
	case alone && slices.ContainsFunc(f.out.Peers, misses(before, after)):
		return true
	}
	return slices.ContainsFunc(targets, func(target string) bool {
		was, is := before.Member(target), after.Member(target)
		switch {
		case was == nil || is == nil:
			return true
		case leads:
			return !topology.SameMember(*was, *is)
		}
		return was.Healthy != is.Healthy || was.Process != is.Process
	})
}

// misses says whether a member that was healthy answers, and isn't healthy.
func misses(before, after *topology.Sample) func(member string) bool {
	return func(member string) bool {
		was, is := before.Member(member), after.Member(member)
		return was != nil && is != nil && was.Healthy && !is.Healthy && is.Role != stores.MemberUnknown
	}
}

// conclude puts together what clients and members showed of the fault.
func (f *injection) conclude(m *read.Measured, t topology.Topology, consensus bool, o outage, e *episode) {
	c := m.Clock
	after, effective := c.Unix(f.impact.after), never
	by := report.ByOperation
	mine := func(begin instant.FromStart) bool {
		return begin >= f.impact.after && f.soon(begin) && c.Unix(begin) < f.alone
	}
	if first := slices.IndexFunc(o.begins, mine); first >= 0 && !f.seen.unmoved {
		effective = c.Unix(o.begins[first])
	}
	if f.seen.change != nil && f.seen.change.At < effective {
		effective, by = f.seen.change.At, report.ByTopology
	}
	if effective == never {
		return
	}
	f.out.EffectiveAt, f.out.EffectiveBy = c.Moment(c.FromStart(effective)), &by
	if bracket := f.impact.before >= f.impact.until; bracket && !o.affected && !f.impact.unfinished && effective < c.Unix(f.impact.until) {
		f.out.OutageCensored = false // operations went on after it
	}
	healing := max(effective, e.healing)
	if healed := t.Find(healing, e.next, func(l *topology.Sample) bool { return l.Steady }); healed != nil {
		f.out.HealedAt = c.Moment(c.FromStart(healed.At))
	}
	f.concludeLeader(t, consensus, after, effective, e.next)
	f.concludeLoss(c, t, m.Latencies.Any(latency.Deletes), e.next)
}

// hit is the first sample in [from, until) that shows a target away, or as another process.
func (f *injection) hit(t topology.Topology, from, until instant.Unix) *topology.Sample {
	before := t.Before(from)
	return t.Find(from, until, func(l *topology.Sample) bool {
		return slices.ContainsFunc(f.out.Hit(), func(target string) bool {
			was, is := before.Member(target), l.Member(target)
			return is != nil && (!is.Healthy || was != nil && is.Process != was.Process)
		})
	})
}
