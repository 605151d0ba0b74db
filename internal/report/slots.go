package report

// slots is how long the slots were busy for which operations waited, and what of it was the
// generator's own work.
type slots struct{ micros, ownMicros float32 }

// queue is what a worker's operations that waited for a slot waited for.
type queue struct {
	micros, ownMicros float64
	limited, sent     int64
	bad               badSeconds
}

func (q *queue) add(second, n int64, s *selfSecond) {
	q.micros += float64(s.slots.micros)
	q.ownMicros += float64(s.slots.ownMicros)
	q.limited += max(int64(s.limited), int64(s.queued))
	q.sent += int64(s.sent)
	if tooMuchOwn(float64(s.slots.micros), float64(s.slots.ownMicros)) {
		q.bad.look(second, n, 1, 0)
	}
}

func tooMuchOwn(micros, ownMicros float64) bool { return ownMicros > maxOwnOfSlots*micros }

func (q *queue) judge(worker int, say func(string, []int64, string, ...any)) {
	if float64(q.limited) < minLimited*float64(q.sent) || !tooMuchOwn(q.micros, q.ownMicros) {
		return
	}
	say(GeneratorLag, q.bad.seconds, "of the time for which operations waited for a slot, or a place on a connection, of worker %d, %.0f %% was the generator's own work between operations; at most %.0f %% is allowed",
		worker, 100*q.ownMicros/q.micros, 100*maxOwnOfSlots)
}
