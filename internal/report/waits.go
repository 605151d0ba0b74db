package report

// queue is what a worker's operations waited for, when they waited for a slot or for a place on a
// connection.
type queue struct {
	micros, ownMicros float64 // of the slots, and what of it was the generator's own work
	waited, sent      int64   // operations
	own               badSeconds

	seconds int64      // in which operations waited
	notTold int64      // of them, in which nobody knows whether the generator had cores to spare
	crowded int64      // operations, in those in which it had none
	noRoom  badSeconds // these seconds

	wantedMicros, usableMicros int64 // of cores, in all seconds that tell
}

// slots is how long the slots were busy for which operations waited, and what of it was the
// generator's own work.
type slots struct{ micros, ownMicros float32 }

// inQueue is how many operations waited in the worker's queue in the second. Where none began to, and
// slots were handed over, it is all that were sent: they had begun before.
func (s *selfSecond) inQueue() int64 {
	if n := max(int64(s.limited), int64(s.queued)); n > 0 || s.slots.micros == 0 {
		return n
	}
	return int64(s.sent)
}

// waited is how many waited for the store, or the generator: in the queue, or for a place on a connection
// in a session of their own.
func (s *selfSecond) waited() int64 {
	if s.connections == nil {
		return s.inQueue()
	}
	return max(s.inQueue(), int64(s.connections.waited))
}

// add adds n seconds from that one on.
func (q *queue) add(second, n int64, s *selfSecond) {
	q.micros += float64(s.slots.micros)
	q.ownMicros += float64(s.slots.ownMicros)
	if tooMuchOwn(float64(s.slots.micros), float64(s.slots.ownMicros)) {
		q.own.look(second, n, 1, 0)
	}
	if wanted, usable, ok := s.wanted(); ok {
		q.wantedMicros += wanted
		q.usableMicros += usable
	}
	q.sent += int64(s.sent)
	waited := s.waited()
	if waited == 0 {
		return
	}
	q.waited += waited
	q.seconds += n
	switch s.room() {
	case notTold:
		q.notTold += n
	case noRoom:
		q.crowded += waited
		q.noRoom.look(second, n, 1, 0)
	}
}

// coreShare is what share of its cores the worker used or waited for; nil where nobody tells.
func (q *queue) coreShare() *float64 {
	if q.usableMicros == 0 {
		return nil
	}
	return rounded(float64(q.wantedMicros) / float64(q.usableMicros))
}

func tooMuchOwn(micros, ownMicros float64) bool { return ownMicros > maxOwnOfSlots*micros }

func (q *queue) judge(worker int, say func(string, []int64, string, ...any)) {
	if float64(q.waited) >= minWaited*float64(q.sent) && tooMuchOwn(q.micros, q.ownMicros) {
		say(GeneratorLag, q.own.seconds, "of the time for which operations waited for a slot, or a place on a connection, of worker %d, %.0f %% was the generator's own work between operations; at most %.0f %% is allowed",
			worker, 100*q.ownMicros/q.micros, 100*maxOwnOfSlots)
	}
	if float64(q.crowded) > minWaited*float64(q.sent) {
		say(GeneratorSaturated, q.noRoom.seconds, "in %d of the %d seconds in which operations of worker %d waited for a slot, or a place on a connection, it had less than %.0f %% of its cores to spare: they may have waited for it, and not for the store; give it more CPU, or cores of its own, or lower the rate",
			q.noRoom.count, q.seconds, worker, 100*(1-maxCoreShare))
	}
}

// busy is in how many seconds of a worker most of its operations waited for the store.
type busy struct{ seconds, of int64 }

func (b *busy) add(n int64, s *selfSecond) {
	b.of += n
	if 2*s.waited() > int64(s.sent) && s.room() == toSpare {
		b.seconds += n
	}
}

// saturated says whether that was the store's usual state, or for longer than it takes to get over a pause.
func (b *busy) saturated() bool {
	return b.seconds > 0 && b.seconds == b.of || exceptions(b.of) < b.seconds
}
