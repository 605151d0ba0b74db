package report

// slots is how long the slots were busy for which operations waited, and what of it was the
// generator's own work.
type slots struct{ micros, ownMicros int64 }

// queue is what a worker's operations that waited for a slot waited for.
type queue struct {
	slots
	limited, sent int64
	bad           badSeconds
}

func (q *queue) add(second, n int64, s *selfSecond) {
	q.micros += s.slots.micros
	q.ownMicros += s.slots.ownMicros
	q.limited += int64(s.limited)
	q.sent += int64(s.sent)
	if s.slots.tooMuch() {
		q.bad.look(second, n, 1, 0)
	}
}

func (s slots) tooMuch() bool { return float64(s.ownMicros) > maxOwnOfSlots*float64(s.micros) }

func (q *queue) judge(worker int, say func(string, []int64, string, ...any)) {
	if float64(q.limited) < minLimited*float64(q.sent) || !q.tooMuch() {
		return
	}
	say(GeneratorLag, q.bad.seconds, "of the time for which operations waited for a slot of worker %d, %.0f %% was the generator's own work between operations; at most %.0f %% is allowed",
		worker, 100*float64(q.ownMicros)/float64(q.micros), 100*maxOwnOfSlots)
}
