package loadgen

import (
	"fmt"
	"sync"
	"time"
)

// pool is an open loop's slots: operations under way, in sessions that are started when they are first
// needed. When all slots are taken, or all sessions are busy, operations wait in their order, and keep
// their intended times.
type pool struct {
	limit int // slots
	// most is how many sessions there are at most, where no more operations can have a place on a
	// connection anyway; the others under way wait for one.
	most int
	// open makes the session of a number.
	open func(number int) (*session, error)
	// fail takes an error that ends the measurement.
	fail func(error)

	mu      sync.Mutex
	idle    []chan due // sessions that wait, the one that was busy last at the end
	waiting queue
	room    int // operations that may wait
	busy    int
	running int // sessions, busy or idle
	started int
	peak    int // the most operations that were under way since the last look
	closed  bool

	finished int64 // operations
	ended    sync.WaitGroup
	opening  sync.WaitGroup // sessions that are started before they are needed
}

// due is an operation to do.
type due struct {
	intended time.Duration
	row      uint32 // of a trace
	limited  bool   // it had to wait for a slot
}

func newPool(limit int, open func(int) (*session, error), fail func(error)) *pool {
	return &pool{limit: limit, most: limit, room: maxWaiting, open: open, fail: fail}
}

// places bounds the sessions to that many.
func (p *pool) places(most int) { p.most = min(p.limit, most) }

// fate is what becomes of an operation that is due.
type fate int

const (
	starts  fate = iota
	waits        // for a slot
	queues       // for a place on a connection
	refused      // as too many wait already
)

// submit hands an operation to a session, or lets it wait for one.
func (p *pool) submit(op due) fate {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		// The session that was busy last is the one whose memory is still warm.
		idle := p.idle[last]
		p.idle = p.idle[:last]
		p.occupy()
		p.mu.Unlock()
		idle <- op
		return starts
	}
	defer p.mu.Unlock()
	switch {
	case p.running < p.most:
		p.occupy()
		p.startSession(&op)
		return starts
	case p.waiting.len() >= p.room:
		return refused
	}
	p.waiting.push(op)
	if under := p.busy + p.waiting.len(); under <= p.limit {
		p.peak = max(p.peak, under)
		return queues
	}
	return waits
}

func (p *pool) occupy() {
	p.busy++
	p.peak = max(p.peak, min(p.limit, p.busy+p.waiting.len()))
}

// warm starts sessions before they are needed, and returns when they are there.
func (p *pool) warm(n int) {
	p.mu.Lock()
	for range min(n, p.most) {
		p.opening.Add(1)
		p.startSession(nil)
	}
	p.mu.Unlock()
	p.opening.Wait()
}

// startSession runs a session, with its first operation if there is one. p.mu is held.
func (p *pool) startSession(first *due) {
	number := p.started
	p.started++
	p.running++
	work := make(chan due, 1)
	if first != nil {
		work <- *first
	} else {
		p.idle = append(p.idle, work)
	}
	p.ended.Add(1)
	go p.serve(number, work, first == nil)
}

func (p *pool) serve(number int, work chan due, ahead bool) {
	defer p.ended.Done()
	s, err := p.open(number)
	if ahead {
		p.opening.Done()
	}
	if err != nil {
		p.fail(fmt.Errorf("open session %d of the store: %w", number, err))
		return
	}
	for op := range work {
		for more := true; more; {
			s.open(op)
			op, more = p.done(work)
		}
	}
	if err := s.end(); err != nil {
		p.fail(err)
	}
}

// done takes the next waiting operation, or makes the session idle.
func (p *pool) done(work chan due) (next due, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished++
	if next, ok := p.waiting.pop(); ok {
		return next, true
	}
	p.busy--
	if p.closed {
		close(work)
	} else {
		p.idle = append(p.idle, work)
	}
	return due{}, false
}

// spare is how many idle sessions look leaves beyond those that were needed.
const spare = 32

// look returns the most operations that were under way since the last look, and ends
// sessions that an outage needed and the time since didn't.
func (p *pool) look() (peak int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	peak = p.peak
	p.peak = min(p.limit, p.busy+p.waiting.len())
	surplus := min(p.running-2*peak-spare, len(p.idle))
	for i := range max(0, surplus) {
		close(p.idle[i])
		p.running--
	}
	if surplus > 0 {
		p.idle = append(p.idle[:0], p.idle[surplus:]...)
	}
	return peak
}

// close takes nothing more and ends all sessions once nothing waits for them. It returns
// how many operations still do, and how many have ended; it does not wait.
func (p *pool) close() (waiting int, done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, idle := range p.idle {
		close(idle)
	}
	p.idle = nil
	return p.waiting.len(), p.finished
}

// drop gives up the operations that wait, and tells the intended time of each.
func (p *pool) drop(tell func(intended time.Duration)) (dropped int64) {
	p.mu.Lock()
	given := p.waiting
	p.waiting = queue{}
	p.mu.Unlock()
	for op, ok := given.pop(); ok; op, ok = given.pop() {
		tell(op.intended)
		dropped++
	}
	return dropped
}
