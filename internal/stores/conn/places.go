package conn

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

var (
	errClosed = errors.New("the connections were closed")
	errEnded  = errors.New("the member has ended the connection")
	// ErrOver is of an operation that waited for a place when it was told to wait no longer, or found
	// none as the member is no more the one to be asked.
	ErrOver = errors.New("another member is to be asked")
)

// Link is a connection that operations share. Its methods are called with the lock of its Places, so they
// don't wait.
type Link interface {
	// Sound looks, while nothing is under way on it, whether it can be used.
	Sound() bool
	// HangUp ends it at once, and what is under way on it.
	HangUp()
}

// Opener makes connections to a member.
type Opener struct {
	// Reach reaches the member, before ctx ends.
	Reach func(ctx context.Context) (net.Conn, error)
	// Greet makes a link of the connection, and returns when the member has answered. It closes the
	// connection when it fails.
	Greet func(ctx context.Context, reached net.Conn) (Link, error)
	// Within bounds an attempt, which has that time in any case. 0 is DialTimeout, and no attempt waits so long
	// while others could be made.
	Within time.Duration
	// AtOnce bounds the greetings that the member is asked for at a time, and 0 doesn't. It is for members whose greeting
	// costs them much, such as the hash of a password. They go on with a greeting that nobody waits for any more. So where
	// one isn't in time, fewer are asked for at a time, and each has longer.
	AtOnce int
}

// Places are on the connections that the operations of an open loop share: so many to each of some
// members, any of which can be asked. An operation takes a place on a connection of the member whose turn
// it is, on the one that has the fewest, as long as one has less than depth, and else waits for one. It is
// safe for concurrent use.
//
// A connection without an answer for too long takes nothing new, and another one is made in its place.
// So a member that doesn't answer holds up what was sent to it, and never more than twice as many
// connections as it has.
type Places struct {
	counts *Counts
	most   int // connections to a member that take operations
	depth  int // operations on one

	mu      sync.Mutex
	members []*member
	next    int   // of them, to be looked at first
	waiting queue // for a place
	retired bool  // others are to be asked
	closed  bool
	ctx     context.Context
	end     context.CancelFunc
	ended   sync.WaitGroup
}

// NewPlaces begins to connect to all members.
func NewPlaces(members []Opener, counts *Counts, connections, depth int) *Places {
	p := newPlaces(members, counts, connections, depth)
	p.start()
	return p
}

func newPlaces(members []Opener, counts *Counts, connections, depth int) *Places {
	p := &Places{counts: counts, most: connections, depth: depth}
	p.ctx, p.end = context.WithCancel(context.Background())
	for _, opener := range members {
		p.members = append(p.members, &member{Opener: opener, of: p, enough: make(chan struct{})})
	}
	return p
}

func (p *Places) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		m.connect()
	}
	p.ended.Go(p.watch)
}

// Most is how many operations can have a place at once, those on connections that are replaced included.
func (p *Places) Most() int { return 2 * p.most * p.depth * len(p.members) }

// Await returns when all connections are there, or ctx ends.
func (p *Places) Await(ctx context.Context) error {
	for _, m := range p.members {
		select {
		case <-m.enough:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), p.failure())
		}
	}
	return nil
}

// failure is why connections are missing, as far as it is known.
func (p *Places) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []error
	for _, m := range p.members {
		all = append(all, m.failure)
	}
	return errors.Join(all...)
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

// Take takes a place, which has to be given back by Answered, Unanswered, Lost or Refused. Nothing was sent when it
// fails: its error is a stores.ConnectError, ErrOver, or context.DeadlineExceeded when the deadline had passed before.
// turn is the caller's, for one operation at a time.
func (p *Places) Take(turn *Turn, span *Span) (*Line, error) {
	turn.begin(span.Deadline)
	if !time.Now().Before(span.Deadline) {
		return nil, context.DeadlineExceeded
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(turn, span)
}

func (p *Places) take(turn *Turn, span *Span) (*Line, error) {
	l, err := p.place(turn, span)
	if err == nil {
		turn.timed = l.of.usual.Begin()
	}
	return l, err
}

// place finds a line with a free place, and takes it, or waits for one. p.mu is held before and after.
func (p *Places) place(turn *Turn, span *Span) (*Line, error) {
	for {
		if l := p.free(); l != nil {
			if l.load > 0 || l.Sound() {
				l.load++
				return l, nil
			}
			p.kill(l, errEnded)
			continue
		}
		if err := p.hopeless(); err != nil {
			return nil, err
		}
		if l, err := p.await(turn, span); err != nil || l.err == nil {
			return l, err
		}
	}
}

// hopeless says why nobody needs to wait for a place.
func (p *Places) hopeless() error {
	switch {
	case p.closed:
		return &stores.ConnectError{Err: errClosed}
	case p.retired:
		return ErrOver
	}
	var all []error
	for _, m := range p.members {
		if len(m.lines) > 0 || m.failure == nil {
			return nil
		}
		all = append(all, m.failure)
	}
	return &stores.ConnectError{Err: errors.Join(all...)}
}

// await waits for a place. The line may have ended when it returns.
func (p *Places) await(turn *Turn, span *Span) (*Line, error) {
	p.waiting.push(turn)
	p.mu.Unlock()
	asked := time.Now()
	defer func() {
		waited := time.Since(asked)
		span.Waited += waited
		span.Deadline = span.Deadline.Add(waited)
		turn.deadline = span.Deadline
	}()
	select {
	case <-turn.wake:
		p.mu.Lock()
	case <-span.Over:
		p.mu.Lock()
		if p.waiting.remove(turn) {
			return nil, ErrOver
		}
		<-turn.wake // it came at the last moment
	}
	if turn.err != nil {
		return nil, turn.err
	}
	return turn.line, nil
}

// free is a line that takes another operation, of the member whose turn it is.
func (p *Places) free() *Line {
	p.next++
	for i := range p.members {
		if l := p.members[(p.next+i)%len(p.members)].free(); l != nil {
			return l
		}
	}
	return nil
}

// admit gives places to those that wait.
func (p *Places) admit() {
	for p.waiting.len() > 0 {
		l := p.free()
		if l == nil {
			return
		}
		l.load++
		turn := p.waiting.pop()
		turn.line = l
		turn.wake <- struct{}{}
	}
}

// refuse fails all that wait for a place.
func (p *Places) refuse(err error) {
	for p.waiting.len() > 0 {
		turn := p.waiting.pop()
		turn.err = err
		turn.wake <- struct{}{}
	}
}

// kill ends a line, and the operations on it.
func (p *Places) kill(l *Line, err error) {
	if l.err != nil {
		return
	}
	l.err = err
	l.of.remove(l)
	l.HangUp()
	l.of.connect()
}

// Retire takes no more operations, and ends each connection when all on it have their answers.
func (p *Places) Retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
	p.refuse(ErrOver)
	for _, m := range p.members {
		for _, l := range append([]*Line(nil), m.lines...) {
			if l.retired = true; l.load == 0 {
				m.dismiss(l)
			}
		}
	}
}

// Close ends all connections. Operations that are under way fail.
func (p *Places) Close() {
	p.end()
	p.mu.Lock()
	p.closed = true
	p.refuse(&stores.ConnectError{Err: errClosed})
	for _, m := range p.members {
		for len(m.lines) > 0 {
			p.kill(m.lines[0], errClosed)
		}
	}
	p.mu.Unlock()
	p.ended.Wait()
}
