package report

import "github.com/kvbench/kvbench/internal/bundle"

// windows answer sums over the bins from the injection on in constant time.
type windows struct {
	first, last  int64 // bins; last is exclusive
	lastAffected int64 // exclusive
	intended     []int64
	good         []int64 // served; both: sums of the bins before
}

func newWindows(t *timeline, q impact) *windows {
	w := &windows{
		first:        max(q.after, 0) / binMicros,
		last:         (q.end + binMicros - 1) / binMicros,
		lastAffected: (q.until + binMicros - 1) / binMicros,
	}
	w.last = max(w.last, w.first)
	w.intended = make([]int64, 1, w.last-w.first+1)
	w.good = make([]int64, 1, w.last-w.first+1)
	for i := w.first; i < w.last; i++ {
		s := t.at(i)
		intended := int64(s.intended)
		w.intended = append(w.intended, intended)
		w.good = append(w.good, min(s.served(q.bucket), intended))
	}
	if q.closed {
		w.addOmitted(t, bundle.LateBound(q.bucket)/binMicros)
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
// that every client waits for an overdue one; each such bin gets as many operations as
// one had in the second before the injection, and none of them succeeded.
func (w *windows) addOmitted(t *timeline, inTimeBins int64) {
	const before = 100
	var sent int64
	for i := w.first - before; i < w.first; i++ {
		sent += int64(t.at(i).intended)
	}
	usual := max(1, sent/before)
	for from := 1; from < len(w.intended); {
		to := from
		for to < len(w.intended) && w.intended[to] == 0 {
			to++
		}
		if int64(to-from) > inTimeBins {
			for i := from; i < to; i++ {
				w.intended[i] = usual
			}
		}
		from = to + 1
	}
}

// sums over the bins from i on, as many as there are of the span.
func (w *windows) sums(i, spanMicros int64) (intended, good int64) {
	to := min(i+spanMicros/binMicros, w.last)
	return w.intended[to-w.first] - w.intended[i-w.first], w.good[to-w.first] - w.good[i-w.first]
}

// firstAffected is the first bin from i on with an operation that was not served: it failed
// without an answer in time, is unknown, was overdue or never started; -1 if there is none.
func (w *windows) firstAffected(i int64) int64 {
	for ; i < min(w.last, w.lastAffected); i++ {
		if intended, good := w.sums(i, binMicros); good < intended {
			return i
		}
	}
	return -1
}

// firstBack is the first bin from i on with an operation that was served from which on the service
// is back, as far as is known; -1 if there is none.
func (w *windows) firstBack(i int64) int64 {
	for ; i < w.last; i++ {
		if _, good := w.sums(i, binMicros); good > 0 && w.mostly(i, backSoonMicros) && w.mostly(i, backLongMicros) {
			return i
		}
	}
	return -1
}

func (w *windows) mostly(i, spanMicros int64) bool {
	intended, good := w.sums(i, spanMicros)
	return good*backDenominator >= intended*backNumerator
}
