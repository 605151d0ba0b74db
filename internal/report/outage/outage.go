package outage

import (
	"cmp"
	"slices"

	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/timeline"
)

// viewOutage is when the service of a view was away.
type viewOutage struct {
	view
	intervals []interval
	longest   interval // start == end if there is none
	total     int64    // of all intervals
	// apart: until then the service was away for another cause; 0 if it wasn't.
	apart instant.FromStart
	// unfollowed: outages that the injection can be the cause of may have begun when bins were kept no more.
	unfollowed bool
}

// outage is when the service of all views was away.
type outage struct {
	interval      // the longest one of any view; start == end if none was away
	affected bool // a view was away
	// begins are those of the times in which at least one view was away, in their order, and total is how long these
	// were, all together. last is when the last one ended.
	begins  []instant.FromStart
	total   int64
	last    instant.FromStart
	proven  bool // the ends of all are, or nothing was away
	limited bool
	// awayBefore: the service was away already when the injection began, and an operation was affected.
	awayBefore bool
	apart      instant.FromStart // as in viewOutage, of any view
	gap        int64             // the longest time without any success
	views      []viewOutage
	thin       []view // too few operations to be judged by themselves
}

// measureOutage finds the times in which clients of some view were without service, if the injection can be their cause.
func measureOutage(t *timeline.Timeline, q impact) outage {
	found := outage{interval: interval{start: q.after, end: q.after}, proven: true}
	judged, thin := viewsOf(t, q)
	found.thin = thin
	var all []interval
	var of *view
	for i := range judged {
		o := outageOf(t, judged[i], q)
		found.views = append(found.views, o)
		found.apart = max(found.apart, o.apart)
		all = append(all, o.intervals...)
		if o.longest.length() > found.length() {
			found.interval, of = o.longest, &judged[i]
		}
	}
	found.affected = len(all) > 0
	// Another one may be longer than the longest, if its end isn't known.
	found.censored = slices.ContainsFunc(all, func(i interval) bool { return i.censored }) || q.unfinished ||
		slices.ContainsFunc(found.views, func(v viewOutage) bool { return v.unfollowed })
	found.proven = !found.censored
	if !found.affected && q.before >= q.until {
		// It may have begun after all operations that could have shown it.
		found.censored, found.proven = true, false
	}
	found.unite(all)
	found.awayBefore = found.affected && awayBefore(t, of, q)
	found.limited = found.affected && limitedByClient(t, q, found.interval)
	found.gap = longestGap(t, q, found)
	return found
}

// unite counts the times in which at least one of the intervals lasted.
func (o *outage) unite(all []interval) {
	slices.SortFunc(all, func(a, b interval) int { return cmp.Compare(a.start, b.start) })
	o.last = o.end
	for i, one := range all {
		if i == 0 {
			o.last = one.start
		}
		if i == 0 || one.start > o.last {
			o.begins = append(o.begins, one.start)
		}
		o.total += max(0, one.end.Since(max(one.start, o.last)))
		o.last = max(o.last, one.end)
	}
}

// outageOf finds when the service of one view was away.
func outageOf(t *timeline.Timeline, v view, q impact) viewOutage {
	if !v.all() {
		q.end = min(q.end, q.after+limits.MaxSeriesLookMicros)
	}
	w := newBinSums(t, &v, q)
	o := viewOutage{view: v, longest: interval{start: q.after, end: q.after}, unfollowed: q.end < min(q.follow, q.until)}
	for from := w.first; ; {
		down := w.firstAffected(from)
		if down < 0 {
			return o
		}
		back, known := w.firstBack(down+1), w.last
		if back >= 0 {
			known = back
		}
		one, away := w.interval(t, &v, q, down, back, known)
		switch {
		case away && one.start < q.follow:
			o.intervals = append(o.intervals, one)
			o.total += one.length()
			if one.length() > o.longest.length() {
				o.longest = one
			}
		case away:
			o.apart = one.end
			return o
		}
		if back < 0 {
			return o
		}
		from = back + 1
	}
}

// interval is the outage between the first affected bin and the one in which the service is back. back is -1 if the
// service isn't back until known, the end of what is known. Noise before the outage is no part of it, and noise alone is
// no outage.
func (w *binSums) interval(t *timeline.Timeline, v *view, q impact, down, back, known instant.Bin) (one interval, away bool) {
	begin := w.rowBegin(down, known, v.inARow())
	if begin < 0 {
		return one, false
	}
	one = interval{start: max(begin.Begin(), q.after), end: q.end, censored: true}
	if back >= 0 {
		one.end = max(one.start, back.Begin().Plus(t.FirstDone(v.series, back)))
		one.censored = back+instant.Bins(backLongMicros) > w.last
	}
	return one, one.length() > meanGapsOfNoise*v.meanGap(q.after)
}
