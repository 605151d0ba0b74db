package report

// longestGap is the longest time without the completion of a success, from just before
// the injection until the service is back, or the end of what is known. When nothing was
// affected, five seconds are looked at.
func longestGap(t *timeline, q impact, o outage) int64 {
	until := q.end
	switch {
	case !o.affected:
		until = min(q.end, q.before+backLongMicros)
	case o.proven:
		until = o.end
	}
	previous := lastCompletion(t, q.after)
	longest := int64(0)
	for i := q.after / binMicros; i*binMicros <= until; i++ {
		s := t.at(i)
		if s.completed == 0 {
			continue
		}
		begin := i * binMicros
		longest = max(longest, begin+s.firstComplete-previous)
		previous = max(previous, begin+s.lastComplete)
	}
	return max(longest, until-previous)
}

// lastCompletion is the last one that is certainly not after the instant; the instant
// itself if there was none. It looks at what was recorded, not at the time in between,
// which is a pod's word.
func lastCompletion(t *timeline, instant int64) int64 {
	last, found := instant, false
	for i, s := range t.slots {
		if s.completed == 0 {
			continue
		}
		for _, at := range [...]int64{i*binMicros + s.firstComplete, i*binMicros + s.lastComplete} {
			if at <= instant && (!found || at > last) {
				last, found = at, true
			}
		}
	}
	return last
}
