package conn

import "time"

// Line is one of the connections that operations share.
type Line struct {
	Link
	of *member

	load    int       // places that are taken
	answers int64     // so far
	seen    int64     // of them, when it was looked at last
	quiet   time.Time // since when there is none, or nothing to answer
	owing   bool      // an operation left without its answer, and none has come since
	silent  bool      // it takes nothing new until an answer comes
	retired bool      // it takes nothing new, and ends
	err     error     // it has ended
}

// Answered gives back the place of an operation that has its answer.
func (l *Line) Answered(turn *Turn) {
	l.of.of.mu.Lock()
	defer l.of.of.mu.Unlock()
	l.answered(turn)
}

// Unanswered gives back the place of an operation whose deadline has passed, on a connection that stays.
func (l *Line) Unanswered() {
	l.of.of.mu.Lock()
	defer l.of.of.mu.Unlock()
	if l.err == nil {
		l.owing = true
		l.load--
		l.pass()
	}
}

// Lost gives back the place of an operation that was sent, on a connection that has ended for that reason.
func (l *Line) Lost(err error) {
	l.of.of.mu.Lock()
	defer l.of.of.mu.Unlock()
	if l.err == nil {
		l.of.of.kill(l, err) // it found the end: the others share its connection
	} else {
		l.of.of.counts.lost.Add(1)
	}
}

// Refused gives back the place of an operation that the connection took no more. It takes no others, and
// those that are under way may still get their answers.
func (l *Line) Refused() {
	l.of.of.mu.Lock()
	defer l.of.of.mu.Unlock()
	if l.err == nil {
		l.retired = true
		l.load--
		l.pass()
		l.of.connect()
	}
}

// answered notes an answer, and hands the place on. The lock is held.
func (l *Line) answered(turn *Turn) {
	l.of.usual.End(turn.timed)
	if l.err != nil { // it ended meanwhile
		return
	}
	l.answers++
	l.owing = false
	l.load--
	if l.silent {
		l.silent = false
		l.of.retire()
	}
	l.pass()
}

// pass hands on a place that was given back.
func (l *Line) pass() {
	l.of.of.admit()
	if l.load == 0 && l.retired {
		l.of.dismiss(l)
	}
}
