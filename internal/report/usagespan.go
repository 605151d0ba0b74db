package report

// usageSpan is the time that is asked for, [from, until), and the wider one in which the load is as in it;
// in Unix nanoseconds.
type usageSpan struct{ from, until, evenFrom, evenUntil int64 }

// measured is the measurement, in which the load is as from the workload's start to the cool-down's end.
func (c workloadClock) measured() usageSpan {
	at := func(micros int64) int64 { return c.startNanos + micros*micro }
	return usageSpan{from: at(c.warmupMicros), until: at(c.endMicros), evenFrom: at(0), evenUntil: at(c.recordedMicros)}
}

// mostUneven is the share of the span by which one look outside of the even load may falsify what is
// told of it.
const mostUneven = 0.03

// covers is how much of what was counted between two looks lies within the span, in nanoseconds; 0
// where too little is known of when in that time it was counted.
func (s *usageSpan) covers(before, next int64) int64 {
	within := min(next, s.until) - max(before, s.from)
	if within <= 0 {
		return 0
	}
	outside := max(0, s.evenFrom-before) + max(0, next-s.evenUntil)
	if float64(within)*float64(outside)/float64(next-before) > mostUneven*float64(s.until-s.from) {
		return 0
	}
	return within
}
