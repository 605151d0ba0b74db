package outage

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/timeline"
)

// binSums answer sums over the bins from the injection on in constant time.
type binSums struct {
	first, last  instant.Bin // last is exclusive
	lastAffected instant.Bin // exclusive
	intended     []int64
	good         []int64 // served; both: sums of the bins before
}

func newBinSums(t *timeline.Timeline, v *view, q impact) *binSums {
	w := &binSums{
		first:        max(q.after, 0).Bin(),
		last:         q.end.NextBin(),
		lastAffected: q.until.NextBin(),
	}
	w.last = max(w.last, w.first)
	w.intended = make([]int64, w.last-w.first+1)
	w.good = make([]int64, w.last-w.first+1)
	t.Count(v.series, w.first, w.last, q.bucket, w.intended[1:], w.good[1:])
	if q.closed {
		w.addOmitted(t, v, q)
	}
	for i := 1; i < len(w.intended); i++ {
		w.intended[i] += w.intended[i-1]
		w.good[i] += w.good[i-1]
	}
	return w
}

// addOmitted counts the operations that the clients of a closed loop did not send because
// all of them were waiting: without them a stall of any length has as many bad operations
// as there are threads. Nothing sent for longer than an operation in time can take means
// that every client waits for an overdue one. Each such bin gets as many operations of the view as
// one had in the second before the injection, and none of them succeeded. A view has none if none of
// its operations was affected just before the silence: the clients wait for others.
func (w *binSums) addOmitted(t *timeline.Timeline, v *view, q impact) {
	const before = 100
	inTimeBins := instant.Bins(bundle.LateBound(q.bucket))
	sent, _ := t.Total(v.series, w.first-before, w.first, q.bucket)
	usual := max(1, sent/before)
	for from := 1; from < len(w.intended); from++ {
		to := from
		for to < len(w.intended) && t.At(w.first+instant.Bin(to)-1).Intended == 0 {
			to++
		}
		if instant.Bin(to-from) > inTimeBins && (v.all() || v.stuck(t, q, w.first+instant.Bin(from)-1)) {
			for i := from; i < to; i++ {
				w.intended[i] = usual
			}
		}
		from = max(from, to-1)
	}
}

// rowBegin is the first bin, of those in [from, to), of so many operations in a row that were affected; -1 without
// any. They are in bins one after the other in which all were, or, as a bin doesn't tell the order, where it is to
// be expected: of n operations in any order, of which a were affected, about n·(a/n)^enough are the first of as many.
// What was affected more than backSoonMicros of service earlier is of no row.
func (w *binSums) rowBegin(from, to instant.Bin, enough int64) instant.Bin {
	begin, run, expected := instant.Bin(-1), int64(0), 0.0
	for i := from; i < to; i++ {
		n, good := w.sums(i, 1)
		affected := n - good
		switch {
		case n == 0:
			continue
		case affected == 0 && w.mostly(i, backSoonMicros):
			begin, run, expected = -1, 0, 0
			continue
		case good == 0:
			run += affected
		default:
			run = 0
		}
		if begin < 0 && affected > 0 {
			begin = i
		}
		if affected >= enough {
			expected += float64(n) * math.Pow(float64(affected)/float64(n), float64(enough))
		}
		if run >= enough || expected >= 1 {
			return begin
		}
	}
	return -1
}

// sums over the bins from i on, as many as there are of so many.
func (w *binSums) sums(i, bins instant.Bin) (intended, good int64) {
	to := min(i+bins, w.last)
	return w.intended[to-w.first] - w.intended[i-w.first], w.good[to-w.first] - w.good[i-w.first]
}

// firstAffected is the first bin from i on with an operation that was not served: it failed
// without an answer in time, is unknown, was overdue or never started; -1 if there is none.
func (w *binSums) firstAffected(i instant.Bin) instant.Bin {
	for ; i < min(w.last, w.lastAffected); i++ {
		if intended, good := w.sums(i, 1); good < intended {
			return i
		}
	}
	return -1
}

// firstBack is the first bin from i on that has a served operation, and from which on the service is back, as far as is
// known; -1 if there is none.
func (w *binSums) firstBack(i instant.Bin) instant.Bin {
	for ; i < w.last; i++ {
		if _, good := w.sums(i, 1); good > 0 && w.mostly(i, backSoonMicros) && w.mostly(i, backLongMicros) {
			return i
		}
	}
	return -1
}

func (w *binSums) mostly(i instant.Bin, micros int64) bool {
	intended, good := w.sums(i, instant.Bins(micros))
	return good*backDenominator >= intended*backNumerator
}
