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
	gap      int64 // the longest time without any success
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
// began before the injection was five seconds old, the longest; else the first.
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
		if found.affected && start >= q.before+backLongMicros {
			break
		}
		back := w.firstBack(down + 1)
		next := outage{affected: true, first: start, start: start, end: q.end, censored: true}
		if back >= 0 {
			next.end = max(start, back*binMicros+max(int64(t.at(back).firstDone), 0))
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
	found.limited = found.affected && limitedByClient(t, q, found)
	found.gap = longestGap(t, q, found)
	return found
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
