package conn

import (
	"context"
	"net"
	"time"
)

// Shared is the connections to one member that the operations of an open loop share, where answers come
// in the order of the requests. It is safe for concurrent use.
type Shared struct{ *Places }

// NewShared begins to connect.
func NewShared(dial Dialer, counts *Counts, connections, depth int) *Shared {
	s := &Shared{}
	greet := func(ctx context.Context, reached net.Conn) (Link, error) {
		made, err := dial.Greet(ctx, reached)
		if err != nil {
			return nil, err
		}
		return &ordered{Conn: made, of: s}, nil
	}
	s.Places = newPlaces([]Opener{{Reach: dial.Reach, Greet: greet}}, counts, connections, depth)
	s.start()
	return s
}

// Do makes the exchange. turn is the caller's, for one exchange at a time.
func (s *Shared) Do(x Exchange, turn *Turn, span *Span) (Sent, error) {
	turn.begin(span.Deadline)
	if !time.Now().Before(span.Deadline) {
		return Nothing, context.DeadlineExceeded // it would end a connection that others are on
	}
	s.mu.Lock()
	l, err := s.take(turn, span)
	if err != nil {
		s.mu.Unlock()
		return Nothing, err
	}
	o := l.Link.(*ordered)
	o.line = l
	first := o.enqueue(turn, x.Request())
	o.flush()
	dead := l.err
	s.mu.Unlock()
	switch {
	case !first:
		<-turn.wake
		if turn.err != nil {
			return turn.sent, turn.err
		}
	case dead != nil:
		return s.lose(o, turn, dead)
	}
	if err = o.SetReadDeadline(turn.deadline); err == nil {
		err = x.Answer(o.In)
	}
	if err != nil {
		return s.lose(o, turn, err)
	}
	s.answered(o, turn)
	return All, nil
}

// answered notes that the first operation of a line has its answer, and lets the next one read.
func (s *Shared) answered(o *ordered, turn *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.line.err == nil {
		o.pop()
	} else if turn.lost { // it ended meanwhile
		s.counts.lost.Add(-1)
	}
	o.line.answered(turn)
}

// lose ends a line whose first operation has no answer, and says what is known of that one.
func (s *Shared) lose(o *ordered, turn *Turn, err error) (Sent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.own = turn
	s.kill(o.line, err)
	return o.sentOf(turn), o.line.err
}
