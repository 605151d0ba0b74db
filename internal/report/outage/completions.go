package outage

import "github.com/kvbench/kvbench/internal/report/timeline"

// longestGap is the longest time without the completion of a success, from just before
// the injection until the service is back, or the end of what is known. When nothing was
// affected, five seconds are looked at, from when the last fault ended.
func longestGap(t *timeline.Timeline, q impact, o outage) int64 {
	until := q.end
	switch {
	case !o.affected:
		until = min(q.end, max(q.before, q.ended)+backLongMicros)
	case o.proven:
		until = o.last
	}
	return t.LongestSilence(q.after, until)
}
