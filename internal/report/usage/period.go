package usage

import "github.com/kvbench/kvbench/internal/report/instant"

// Period is the time that is asked for, [from, until), and the wider one in which the load is as in it;
// in Unix nanoseconds.
type Period struct{ From, Until, evenFrom, EvenUntil int64 }

// measured is the measurement, in which the load is as from the workload's start to the cool-down's end.
func Measured(c instant.Clock) Period {
	at := func(micros int64) int64 { return c.StartNanos + micros*instant.NanosPerMicro }
	return Period{From: at(c.WarmupMicros), Until: at(c.EndMicros), evenFrom: at(0), EvenUntil: at(c.RecordedMicros)}
}

// mostUneven is the share of the period by which one look outside of the even load may falsify what is
// told of it.
const mostUneven = 0.03

// covers is how much of what was counted between two looks lies within the period, in nanoseconds; 0
// where too little is known of when in that time it was counted.
func (s *Period) covers(before, next int64) int64 {
	within := min(next, s.Until) - max(before, s.From)
	if within <= 0 {
		return 0
	}
	outside := max(0, s.evenFrom-before) + max(0, next-s.EvenUntil)
	if float64(within)*float64(outside)/float64(next-before) > mostUneven*float64(s.Until-s.From) {
		return 0
	}
	return within
}
