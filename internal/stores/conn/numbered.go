package conn

import (
	"bufio"
	"context"
	"errors"
	"sync"
	"time"
)

// Answer is memory for one that is read from a connection whose answers come in any order.
type Answer interface {
	// Read reads the next one over the last, and returns the number of its request; 0 if it belongs to
	// none. After an error the connection's state isn't known.
	Read(in *bufio.Reader) (request int64, err error)
}

// Call is a goroutine's memory for exchanges over numbered links, one at a time.
type Call struct {
	Answer Answer // to the last request
	done   chan error
	timer  *time.Timer
}

// NewCall takes memory for an answer.
func NewCall(answer Answer) *Call {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &Call{Answer: answer, done: make(chan error, 1), timer: timer}
}

// Numbered is a link whose answers have the numbers of their requests, and come in any order. A goroutine
// reads them, and changes memory with who waits.
type Numbered struct {
	conn *Conn

	mu    sync.Mutex
	last  int64 // number of a request
	calls map[int64]*Call
	ended error
}

// NewNumbered begins to read, into that memory. The last request had that number.
func NewNumbered(made *Conn, spare Answer, last int64) *Numbered {
	n := &Numbered{conn: made, last: last, calls: map[int64]*Call{}}
	go n.read(spare)
	return n
}

var errNumber = errors.New("an answer to no request")

func (n *Numbered) read(spare Answer) {
	for {
		number, err := spare.Read(n.conn.In)
		n.mu.Lock()
		if err == nil && number > n.last {
			err = errNumber
		}
		if err != nil {
			n.end(err)
			n.mu.Unlock()
			return
		}
		if call := n.calls[number]; call != nil { // else its deadline has passed
			delete(n.calls, number)
			call.Answer, spare = spare, call.Answer
			call.done <- nil
		}
		n.mu.Unlock()
	}
}

// end fails all that wait.
func (n *Numbered) end(err error) {
	if n.ended == nil {
		n.ended = err
	}
	n.conn.HangUp()
	for number, call := range n.calls {
		delete(n.calls, number)
		call.done <- err
	}
}

// Sound says that the connection has not ended.
func (n *Numbered) Sound() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ended == nil
}

// HangUp ends the connection. All that wait on it fail.
func (n *Numbered) HangUp() { n.conn.HangUp() }

// Number is the next request's.
func (n *Numbered) Number() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	return n.last
}

// Do sends the request of that number, and returns when the call has its answer. When the deadline passes,
// with context.DeadlineExceeded, the connection stays.
func (n *Numbered) Do(call *Call, number int64, request []byte, deadline time.Time) (Sent, error) {
	left := time.Until(deadline)
	if left <= 0 {
		return Nothing, context.DeadlineExceeded
	}
	n.mu.Lock()
	if err := n.ended; err != nil {
		n.mu.Unlock()
		return Nothing, err
	}
	n.calls[number] = call
	n.mu.Unlock()
	if sent, err := n.write(request, deadline); err != nil {
		n.mu.Lock()
		n.end(err)
		n.mu.Unlock()
		return sent, <-call.done
	}
	call.timer.Reset(left)
	defer call.timer.Stop()
	select {
	case err := <-call.done:
		return All, err
	case <-call.timer.C:
	}
	n.mu.Lock()
	waits := n.calls[number] == call
	delete(n.calls, number)
	n.mu.Unlock()
	if waits {
		return All, context.DeadlineExceeded
	}
	return All, <-call.done // it came at the last moment
}

// write may wait for longer than the deadline, for that of another one which writes after it: a
// connection that takes nothing is soon silent, and nobody writes then.
func (n *Numbered) write(request []byte, deadline time.Time) (Sent, error) {
	if err := n.conn.SetWriteDeadline(deadline); err != nil {
		return Nothing, err
	}
	written, err := n.conn.Write(request)
	switch {
	case err == nil:
		return All, nil
	case written == 0:
		return Nothing, err
	}
	return Part, err
}

// leaveAfter gives back the place of an operation whose last exchange ended so.
func (l *Line) leaveAfter(turn *Turn, sent Sent, err error) {
	switch {
	case err == nil:
		l.Answered(turn)
	case errors.Is(err, context.DeadlineExceeded):
		l.Unanswered()
	case sent == Nothing:
		l.Refused()
	default:
		l.Lost(err)
	}
}
