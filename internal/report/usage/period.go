package usage

import "github.com/kvbench/kvbench/internal/report/instant"

// Period is the time whose usage is asked for, [From, Until), within a longer time in which the load is the same.
type Period struct{ From, Until, evenFrom, EvenUntil instant.Unix }

// Measured is the measurement. The load is the same from the workload's start to the cool-down's end.
func Measured(c instant.Clock) Period {
	return Period{From: c.Measurement(), Until: c.Unix(c.End), evenFrom: c.Start, EvenUntil: c.Unix(c.Recorded)}
}

// mostUneven bounds the error of an average, as a share of the period, that comes from a sample which was taken while
// the load was another one.
const mostUneven = 0.03

// covers is how much of the time between two samples lies within the period, in nanoseconds. It is 0 if most of the
// time is outside of the even load, since nobody knows when in that time the count grew.
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
