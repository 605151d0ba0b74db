package conn

import (
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Seat is a session's place on a numbered link, while it has one. It is not for concurrent use.
type Seat struct {
	turn *Turn
	call *Call

	line     *Line
	link     *Numbered
	deadline time.Time
	last     int64 // number of the last request
	sent     Sent
	err      error // of the last exchange
}

// NewSeat has no place yet, and that memory for answers.
func NewSeat(answer Answer) Seat { return Seat{turn: NewTurn(), call: NewCall(answer)} }

// numbered is the link itself; a type that embeds it has it too.
func (n *Numbered) numbered() *Numbered { return n }

// Take waits for a place for the operation, whose deadline is put off by that. All links of the places are
// numbered. Nothing was sent when it fails.
func (s *Seat) Take(from *Places, op *stores.Op) (Link, error) {
	span := Span{Deadline: op.Deadline}
	line, err := from.Take(s.turn, &span)
	op.Waited += span.Waited
	op.Deadline = span.Deadline
	if err != nil {
		return nil, err
	}
	link := line.Link.(interface{ numbered() *Numbered }).numbered()
	s.line, s.link, s.deadline, s.sent, s.err = line, link, op.Deadline, Nothing, nil
	return line.Link, nil
}

// Number is the next request's.
func (s *Seat) Number() int64 {
	s.last = s.link.Number()
	return s.last
}

// Do sends the request that took the last number, and returns its answer, which is valid until the next.
func (s *Seat) Do(request []byte) (Answer, Sent, error) {
	s.sent, s.err = s.link.Do(s.call, s.last, request, s.deadline)
	return s.call.Answer, s.sent, s.err
}

// Spoil says that the last answer was none, so that the connection's state isn't known.
func (s *Seat) Spoil(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Leave gives the place back.
func (s *Seat) Leave() { s.line.leaveAfter(s.turn, s.sent, s.err) }
