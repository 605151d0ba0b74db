package outage

import (
	"cmp"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/topology"
)

// episode is faults of one workload that overlap, in the order of their injection. Nobody can tell which of them caused
// what, so their outage is measured once, from the first injection on. Most episodes are one fault.
type episode struct {
	faults []*injection
	next   instant.Unix // the next injection outside of it: what members show from then on may be its doing
	ended  instant.FromStart
	// endedAfter is when the last fault that lasts ended at the earliest; 0 if none lasts.
	endedAfter instant.FromStart
	healing    instant.Unix // it can't have healed before
	// wholeAt is when all members were steady from healing on. whole says that they were. Nobody waits for it if no
	// member changed, and no fault lasts.
	wholeAt instant.FromStart
	whole   bool
	waits   bool
}

// episodesOf groups the faults that were injected.
func episodesOf(planned []*injection) []*episode {
	var inOrder []*injection
	for _, f := range planned {
		if f.injected() {
			inOrder = append(inOrder, f)
		}
	}
	slices.SortStableFunc(inOrder, func(a, b *injection) int { return cmp.Compare(injectedAfter(a), injectedAfter(b)) })
	joined := make([]bool, len(inOrder)) // with the one before
	for i, earlier := range inOrder {
		for j := i + 1; j < len(inOrder); j++ {
			if !earlier.overlaps(inOrder[j]) {
				continue
			}
			for between := i + 1; between <= j; between++ {
				joined[between] = true
			}
		}
	}
	var all []*episode
	for i, f := range inOrder {
		if joined[i] {
			last := all[len(all)-1]
			last.faults = append(last.faults, f)
		} else {
			all = append(all, &episode{faults: []*injection{f}})
		}
	}
	return all
}

// overlaps says whether a fault that was injected later came before this one had ended. Of two faults that end with their
// injection, the later one ends what can be said of the earlier one. One controller wrote all instants, so its clock's
// error doesn't change their order.
func (f *injection) overlaps(later *injection) bool {
	if !f.action.Lasts && !later.action.Lasts {
		return false
	}
	switch {
	case !f.action.Lasts:
		return later.line.InjectedAfterUnixNanos <= f.line.InjectedBeforeUnixNanos
	case read.Ended(f.line):
		return later.line.InjectedAfterUnixNanos <= f.line.EndedBeforeUnixNanos
	}
	return true
}

// measure finds out what the episode did, and the seconds in which it was at work. before are those of earlier
// episodes, and next is the next injection into the workload.
func (e *episode) measure(in *read.Input, w *plan.Workload, clockMicros *int64, before []instant.Window, next instant.Unix) (instant.Window, error) {
	m, first := in.Workloads[w.Name], e.faults[0]
	c := m.Clock
	for _, f := range e.faults {
		f.place(c, clockMicros)
		e.ended = max(e.ended, f.ended)
		if f.action.Lasts {
			e.endedAfter = max(e.endedAfter, f.endedAfter)
		}
	}
	e.next = min(next, e.nextOf(in.Faults))
	e.look(c, in.Topology)
	first.impact.members, first.impact.ended = in.Plan.Store.Members, e.ended
	o, err := first.measure(m, w, before, next, e)
	if err != nil {
		return instant.Window{}, err
	}
	for _, f := range e.faults {
		f.conclude(m, in.Topology, in.Plan.Store.Consensus, o, e)
		if f != first {
			f.out.PartOf = first.out.Name
		}
	}
	if healed := first.out.HealedAt; healed != nil && e.endedAfter > 0 {
		took := c.FromStart(c.OfMoment(healed)).Since(e.endedAfter)
		first.out.RecoveryMicros = &took
	}
	return instant.Window{
		From: c.RowOf(first.impact.after),
		To:   c.RowOf(max(o.last, o.apart, first.impact.before, e.ended)),
	}, nil
}

// nextOf is when the next fault of any workload that isn't in the episode was injected, at the earliest.
func (e *episode) nextOf(all []bundle.FaultLine) instant.Unix {
	next := never
	for i := range all {
		l := &all[i]
		within := slices.ContainsFunc(e.faults, func(f *injection) bool { return f.line == l })
		if !within && read.Injected(l) && l.InjectedAfterUnixNanos > e.faults[0].line.InjectedAfterUnixNanos {
			next = min(next, instant.Unix(l.InjectedAfterUnixNanos))
		}
	}
	return next
}

// alone is until when a new leader, or an outage, is a sign of this fault: until another one of the episode may have been
// injected. One that was injected before is at work, or its end is.
func (e *episode) alone(f *injection) instant.Unix {
	until := never
	for _, other := range e.faults {
		if other != f {
			until = min(until, injectedAfter(other))
		}
	}
	return until
}

// look finds what the members showed until the next injection.
func (e *episode) look(c instant.Clock, t topology.Topology) {
	for _, f := range e.faults {
		f.alone = e.alone(f)
		f.look(c, t, e.next)
		e.healing = max(e.healing, f.seen.healing)
		e.waits = e.waits || f.action.Lasts || f.seen.change != nil
	}
	if !e.waits {
		return
	}
	if steady := t.Find(e.healing, e.next, func(l *topology.Sample) bool { return l.Steady }); steady != nil {
		e.wholeAt, e.whole = c.FromStart(steady.At), true
	}
}
