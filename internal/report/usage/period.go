package usage

import "github.com/kvbench/kvbench/internal/report/instant"

// Period is the time that is asked for, [from, until), and the wider one in which the load is as in it;
// in Unix nanoseconds.
type Period struct{ From, Until, evenFrom, EvenUntil instant.Unix }

// measured is the measurement, in which the load is as from the workload's start to the cool-down's end.
func Measured(c instant.Clock) Period {
	return Period{From: c.Measurement(), Until: c.Unix(c.End), evenFrom: c.Start, EvenUntil: c.Unix(c.Recorded)}
}

// mostUneven is the share of the period by which one look outside of the even load may falsify what is
// told of it.
const mostUneven = 0.03

// covers is how much of what was counted between two looks lies within the period, in nanoseconds; 0
// where too little is known of when in that time it was counted.
func (s *Period) covers(before, next instant.Unix) (nanos int64) {
	nanos = min(next, s.Until).Since(max(before, s.From))
	if nanos <= 0 {
		return 0
	}
	outside := max(0, s.evenFrom.Since(before)) + max(0, next.Since(s.EvenUntil))
	if float64(nanos)*float64(outside)/float64(next.Since(before)) > mostUneven*float64(s.Until.Since(s.From)) {
		return 0
	}
	return nanos
}
