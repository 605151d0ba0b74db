package conn

import (
	"context"
	"errors"
	"sync"
	"time"
)

// AttemptEvery is how long after an attempt to connect to a member the next one begins at the earliest.
const AttemptEvery = 20 * time.Millisecond

var (
	errClosed = errors.New("the connections were closed")
	errEnded  = errors.New("the member has ended the connection")
	// ErrOver is of an operation that waited for a place when it was told to wait no longer, or found
	// none as the member is no more the one to be asked.
	ErrOver = errors.New("another member is to be asked")
)

// Shared is the connections to one member that the operations of an open loop share, so many of them.
// An operation takes a place on the connection that has the fewest, as long as one has less than depth,
// and else waits for one. It is safe for concurrent use.
//
// A connection without an answer for too long takes nothing new, and another one is made in its place.
// So a member that doesn't answer holds up what was sent to it, and never more than twice as many
// connections as it has.
type Shared struct {
	dial   Dialer
	counts *Counts
	most   int // connections that take operations
	depth  int // unanswered requests on one

	mu       sync.Mutex
	lines    []*line
	next     int   // of them, to be looked at first
	waiting  queue // for a place
	greeting int   // attempts that the member has answered, and that don't take operations yet
	began    time.Time
	timed    bool          // the next attempt has its time
	failure  error         // of the last attempt, as long as there is no connection
	enough   chan struct{} // closed when full is set
	full     bool          // all connections have been there
	usual    Usual
	retired  bool // the member isn't the one to be asked any more
	closed   bool
	ctx      context.Context
	end      context.CancelFunc
	ended    sync.WaitGroup
}

// NewShared begins to connect.
func NewShared(dial Dialer, counts *Counts, connections, depth int) *Shared {
	s := &Shared{dial: dial, counts: counts, most: connections, depth: depth, enough: make(chan struct{})}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.mu.Lock()
	s.connect()
	s.mu.Unlock()
	s.ended.Go(s.watch)
	return s
}

// Await returns when all connections are there, or ctx ends.
func (s *Shared) Await(ctx context.Context) error {
	select {
	case <-s.enough:
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		return errors.Join(ctx.Err(), s.failure)
	}
}

// Span is when an exchange may be made.
type Span struct {
	// Deadline is that of an exchange which gets its place at once. It is put off by what one waits.
	Deadline time.Time
	// Over ends the waiting for a place; nil never does.
	Over <-chan struct{}

	// Waited is how long it waited for its place.
	Waited time.Duration
}

// Do makes the exchange. turn is the caller's, for one exchange at a time.
func (s *Shared) Do(x Exchange, turn *Turn, span *Span) (Sent, error) {
	turn.begin(span.Deadline)
	if !time.Now().Before(span.Deadline) {
		return Nothing, context.DeadlineExceeded // it would end a connection that others are on
	}
	s.mu.Lock()
	l, err := s.place(turn, span)
	if err != nil {
		s.mu.Unlock()
		return Nothing, err
	}
	timed := s.usual.Begin()
	first := l.enqueue(turn, x.Request())
	l.flush()
	dead := l.err
	s.mu.Unlock()
	switch {
	case !first:
		<-turn.wake
		if turn.err != nil {
			return turn.sent, turn.err
		}
	case dead != nil:
		return s.lose(l, turn, dead)
	}
	if err = l.SetReadDeadline(turn.deadline); err == nil {
		err = x.Answer(l.In)
	}
	if err != nil {
		return s.lose(l, turn, err)
	}
	s.mu.Lock()
	s.usual.End(timed)
	s.answered(l, turn)
	s.mu.Unlock()
	return All, nil
}

// place finds a line with a free place, and takes it, or waits for one. s.mu is held before and after.
func (s *Shared) place(turn *Turn, span *Span) (*line, error) {
	for {
		if l := s.free(); l != nil {
			if l.load > 0 || l.sound() {
				l.load++
				return l, nil
			}
			s.kill(l, errEnded, nil)
			continue
		}
		switch {
		case s.closed:
			return nil, errClosed
		case s.retired:
			return nil, ErrOver
		case s.failure != nil:
			return nil, s.failure
		}
		if l, err := s.await(turn, span); err != nil || l.err == nil {
			return l, err
		}
	}
}

// await waits for a place. The line may have ended when it returns.
func (s *Shared) await(turn *Turn, span *Span) (*line, error) {
	s.waiting.push(turn)
	s.mu.Unlock()
	asked := time.Now()
	defer func() {
		waited := time.Since(asked)
		span.Waited += waited
		span.Deadline = span.Deadline.Add(waited)
		turn.deadline = span.Deadline
	}()
	select {
	case <-turn.wake:
		s.mu.Lock()
	case <-span.Over:
		s.mu.Lock()
		if s.waiting.remove(turn) {
			return nil, ErrOver
		}
		<-turn.wake // it came at the last moment
	}
	if turn.err != nil {
		return nil, turn.err
	}
	return turn.line, nil
}

// free is the line with the fewest operations that takes another one; of several, each has its turn.
func (s *Shared) free() (best *line) {
	s.next++
	for i := range s.lines {
		l := s.lines[(s.next+i)%len(s.lines)]
		if !l.silent && !l.retired && l.load < s.depth && (best == nil || l.load < best.load) {
			best = l
		}
	}
	return best
}

// answered notes that the first operation of a line has its answer, and hands its place on.
func (s *Shared) answered(l *line, turn *Turn) {
	if l.err != nil { // it ended meanwhile
		if turn.lost {
			s.counts.lost.Add(-1)
		}
		return
	}
	l.answers++
	l.pop()
	l.load--
	if l.silent {
		l.silent = false
		s.retire()
	}
	s.admit()
	if l.load == 0 && l.retired {
		s.dismiss(l)
	}
}

// admit gives places to those that wait.
func (s *Shared) admit() {
	for s.waiting.len() > 0 {
		l := s.free()
		if l == nil {
			return
		}
		l.load++
		turn := s.waiting.pop()
		turn.line = l
		turn.wake <- struct{}{}
	}
}

// lose ends a line whose first operation has no answer, and says what is known of that one.
func (s *Shared) lose(l *line, turn *Turn, err error) (Sent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill(l, err, turn)
	return l.sentOf(turn), l.err
}

// kill ends a line, and all operations on it but the one that its caller has.
func (s *Shared) kill(l *line, err error, own *Turn) {
	if l.err != nil {
		return
	}
	l.err = err
	l.HangUp()
	s.remove(l)
	for i := l.queue.len(); i > 0; i-- {
		turn := l.queue.pop()
		turn.sent = l.sentOf(turn)
		if turn.lost = turn != own && turn.sent != Nothing; turn.lost {
			s.counts.lost.Add(1)
		}
		// The first one reads, or is about to: it finds the end by itself.
		if turn != own && !turn.first {
			turn.err = errors.New("the connection ended under it: " + err.Error()) // whose deadline it was is no matter
			turn.wake <- struct{}{}
		}
	}
	s.connect()
}

func (s *Shared) remove(gone *line) {
	for i, l := range s.lines {
		if l == gone {
			s.lines = append(s.lines[:i], s.lines[i+1:]...)
			return
		}
	}
}

// Retire takes no more operations, and ends each connection when all on it have their answers.
func (s *Shared) Retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
	s.refuse(ErrOver)
	for _, l := range append([]*line(nil), s.lines...) {
		if l.retired = true; l.load == 0 {
			s.dismiss(l)
		}
	}
}

// Close ends all connections. Operations that are under way fail.
func (s *Shared) Close() {
	s.end()
	s.mu.Lock()
	s.closed = true
	s.refuse(errClosed)
	for len(s.lines) > 0 {
		s.kill(s.lines[0], errClosed, nil)
	}
	s.mu.Unlock()
	s.ended.Wait()
}

// refuse fails all that wait for a place.
func (s *Shared) refuse(err error) {
	for s.waiting.len() > 0 {
		turn := s.waiting.pop()
		turn.err = err
		turn.wake <- struct{}{}
	}
}
