package conn

import "time"

// Turn is an operation's place among others. It is made once for each goroutine.
type Turn struct {
	wake chan struct{} // told that its place is there, that it is to read, or that it failed

	deadline time.Time
	line     *Line
	timed    time.Time // when it began, if that is to be a sample
	from, to int64     // its request, among all bytes of the line
	first    bool      // it reads
	lost     bool      // it counts as lost with its line
	sent     Sent
	err      error
}

// NewTurn makes one.
func NewTurn() *Turn { return &Turn{wake: make(chan struct{}, 1)} }

func (t *Turn) begin(deadline time.Time) {
	*t = Turn{wake: t.wake, deadline: deadline}
}

// queue keeps turns in their order.
type queue struct {
	turns []*Turn
	from  int
}

func (q *queue) len() int { return len(q.turns) - q.from }

func (q *queue) push(turn *Turn) { q.turns = append(q.turns, turn) }

// peek is the first one; nil if there is none.
func (q *queue) peek() *Turn {
	if q.len() == 0 {
		return nil
	}
	return q.turns[q.from]
}

func (q *queue) pop() *Turn {
	turn := q.turns[q.from]
	q.turns[q.from] = nil
	q.from++
	switch {
	case q.from == len(q.turns):
		q.turns, q.from = q.turns[:0], 0
	case q.from > len(q.turns)/2 && q.from >= 64:
		q.turns = q.turns[:copy(q.turns, q.turns[q.from:])]
		q.from = 0
	}
	return turn
}

// remove takes a turn out, wherever it is, and says whether it was there.
func (q *queue) remove(turn *Turn) bool {
	for i := q.from; i < len(q.turns); i++ {
		if q.turns[i] == turn {
			q.turns = append(q.turns[:i], q.turns[i+1:]...)
			return true
		}
	}
	return false
}
