package report

import "github.com/kvbench/kvbench/internal/bundle"

// Parameters of the outage's definition; docs/design/0002-outage.md gives the reasons.
const (
	// overdueFactor × p99 before the fault, but at least bundle.LateBaseMicros, is the
	// response time above which an operation counts as without service.
	overdueFactor = 10
	// The service is back when at least backShare of the operations intended in each of
	// these two spans succeeded in time.
	backNumerator, backDenominator = 9, 10
	backSoonMicros                 = 100_000
	backLongMicros                 = 5_000_000
)

// impact asks what an injection did to a workload's clients. Instants are in microseconds
// from the workload's start.
type impact struct {
	after, before int64 // the injection's bracket
	until         int64 // operations intended from here on are not this fault's
	end           int64 // of what can serve to prove that the service is back
	bucket        int   // the last one of Bin.OK that is in time
	closed        bool
}

// outage is the answer.
type outage struct {
	affected bool  // an operation failed, is unknown or was overdue
	first    int64 // intended time of the first one
	start    int64 // the outage: start == end if none was affected
	end      int64
	censored bool // the end is not proven: a lower bound
	proven   bool // the service is back at end, or was never away
	limited  bool
	// awayBefore: the service was away already when the injection began, and an operation was affected.
	awayBefore bool
	// apart: until then the service was away for another cause; 0 if it wasn't.
	apart int64
	gap   int64 // the longest time without any success
}

// overdueBucket is the last bucket of Bin.OK that counts as in time: the first whose bound
// reaches the threshold.
func overdueBucket(p99Micros int64) int {
	threshold := max(overdueFactor*p99Micros, bundle.LateBaseMicros)
	for i := range bundle.LateBuckets - 1 {
		if bundle.LateBound(i) >= threshold {
			return i
		}
	}
	return bundle.LateBuckets - 2 // the last one that has a bound
}

// measureOutage finds the outage: of the times that clients were without service and that
// began before the injection was five seconds old, the longest; else the first, if it began while
// the injection could be its cause.
//
// There can be several. The bracket's lower end lies before the kill itself, and a lone
// failure in between would otherwise be taken for all that the fault did.
func measureOutage(t *timeline, q impact) outage {
	w := newWindows(t, q)
	found := outage{start: q.after, end: q.after, proven: true}
	for from := w.first; ; {
		down := w.firstAffected(from)
		if down < 0 {
			break
		}
		start := max(down*binMicros, q.after)
		back, end := w.firstBack(down+1), q.end
		if back >= 0 {
			end = max(start, back*binMicros+max(int64(t.at(back).firstDone), 0))
		}
		caused := q.before + maxSign.Microseconds()
		if found.affected {
			caused = q.before + backLongMicros
		}
		if start >= caused {
			if !found.affected {
				found.apart = end
			}
			break
		}
		next := outage{affected: true, first: start, start: start, end: end, censored: true}
		if back >= 0 {
			next.proven = back+backLongMicros/binMicros <= w.last
			next.censored = !next.proven
		}
		if found.affected {
			next.first = found.first
		}
		if !found.affected || next.end-next.start > found.end-found.start {
			found = next
		}
		if back < 0 {
			break
		}
		from = back + 1
	}
	if !found.affected && q.before >= q.until {
		// It may have begun after all operations that could have shown it.
		found.censored, found.proven = true, false
	}
	found.awayBefore = found.affected && awayBefore(t, q)
	found.limited = found.affected && limitedByClient(t, q, found)
	found.gap = longestGap(t, q, found)
	return found
}

// awayBefore says whether the service was away already: in both of the last two spans before the
// injection that are as long as an operation in time may take. What was intended in the later one
// may have been hit by the injection itself, and what was in the earlier one was overdue by then.
func awayBefore(t *timeline, q impact) bool {
	bins := bundle.LateBound(q.bucket) / binMicros
	to := q.after / binMicros
	if 2*bins*binMicros > detailLead*1_000_000 {
		return false // so far back the bins are not kept
	}
	return withoutService(t, q, to-2*bins, to-bins) && withoutService(t, q, to-bins, to)
}

// withoutService says whether of what was intended in these bins less than the share of a service
// that is back was served. The clients of a closed loop that intend nothing for so long all wait.
func withoutService(t *timeline, q impact, from, to int64) bool {
	var intended, good int64
	for i := max(0, from); i < to; i++ {
		s := t.at(i)
		intended += int64(s.intended)
		good += min(s.served(q.bucket), int64(s.intended))
	}
	if intended == 0 {
		return q.closed && from >= 0
	}
	return good*backDenominator < intended*backNumerator
}

// limitedByClient says whether clients had operations to send and could not.
func limitedByClient(t *timeline, q impact, o outage) bool {
	if q.closed {
		return true
	}
	for i := o.start / binMicros; i*binMicros < o.end; i++ {
		if t.at(i).limited {
			return true
		}
	}
	return false
}
