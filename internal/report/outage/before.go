package outage

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/timeline"
)

// awayBefore says whether the view's service was away already: in both of the last two times before the
// injection that are as long as an operation in time may take. What was intended in the later one
// may have been hit by the injection itself, and what was in the earlier one was overdue by then.
func awayBefore(t *timeline.Timeline, v *view, q impact) bool {
	bins := instant.Bins(bundle.LateBound(q.bucket))
	to := q.after.Bin()
	if 2*bins.Begin() > limits.LookMicros {
		return false // so far back the bins are not kept
	}
	return withoutService(t, v, q, to-2*bins, to-bins) && withoutService(t, v, q, to-bins, to)
}

// withoutService says whether so few of the operations that were intended in these bins were served that the service was
// not there. If the clients of a closed loop intend nothing for so long, all of them wait.
func withoutService(t *timeline.Timeline, v *view, q impact, from, to instant.Bin) bool {
	if from < 0 {
		return false
	}
	intended, good := t.Total(v.series, from, to, q.bucket)
	if intended == 0 {
		return q.closed && t.Silent(from, to) && (v.all() || v.stuck(t, q, to))
	}
	return good*backDenominator < intended*backNumerator
}

// limitedByClient says whether clients had operations to send, and could not send them.
func limitedByClient(t *timeline.Timeline, q impact, o interval) bool {
	if q.closed {
		return true
	}
	for i := o.start.Bin(); i.Begin() < o.end; i++ {
		if t.At(i).Limited {
			return true
		}
	}
	return false
}

// stuck says whether the view has operations among those that all clients wait for in a silence that has
// reached the bin. The last of them was sent as it began, and the first before an operation in time would end.
func (v *view) stuck(t *timeline.Timeline, q impact, bin instant.Bin) bool {
	for begin := bin; begin > 0 && t.At(begin-1).Intended == 0; begin-- {
		bin = begin - 1
	}
	intended, good := t.Total(v.series, bin-instant.Bins(2*bundle.LateBound(q.bucket)), bin, q.bucket)
	return good < intended
}
