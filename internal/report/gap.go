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
		until = o.last
	}
	previous := lastCompletion(t, q.after)
	longest := int64(0)
	for i := q.after / binMicros; i*binMicros <= until; i++ {
		s := t.at(i)
		if s.firstComplete < 0 {
			continue
		}
		begin := i * binMicros
		longest = max(longest, begin+int64(s.firstComplete)-previous)
		previous = max(previous, begin+int64(s.lastComplete))
	}
	return max(longest, until-previous)
}

// lastCompletion is the last one that is certainly not after the instant; the instant
// itself if there was none. Before the detail, seconds tell.
func lastCompletion(t *timeline, instant int64) int64 {
	for i := instant / binMicros; t.detail.whole.has(floorDiv(i, chunkBins)); i-- {
		s := t.at(i)
		if s.firstComplete < 0 {
			continue
		}
		for _, at := range [...]int64{i*binMicros + int64(s.lastComplete), i*binMicros + int64(s.firstComplete)} {
			if at <= instant {
				return at
			}
		}
	}
	for i := len(t.seconds.values) - 1; i >= 0; i-- {
		if last := t.seconds.values[i].lastComplete - 1; last >= 0 && last <= instant {
			return last
		}
	}
	return instant
}
