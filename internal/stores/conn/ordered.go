package conn

import (
	"errors"
	"time"
)

// ordered is a link whose answers come in the order of the requests. What it has is guarded by its
// Shared's lock, but for the connection: the first operation of the queue reads, and one of them writes for
// all.
type ordered struct {
	*Conn
	of    *Shared
	line  *Line
	queue queue // operations without an answer, in the order of their requests
	own   *Turn // the operation that has found the end

	out, spare []byte // requests to write
	writing    bool
	until      time.Time // deadline of the last one
	put        int64     // bytes of all requests, from the begin
	offered    int64     // of them, to the kernel
	written    int64     // of them, that it took
}

// HangUp ends the connection, and all operations on it but the one that has found the end.
func (o *ordered) HangUp() {
	o.Conn.HangUp()
	for i := o.queue.len(); i > 0; i-- {
		turn := o.queue.pop()
		turn.sent = o.sentOf(turn)
		if turn.lost = turn != o.own && turn.sent != Nothing; turn.lost {
			o.of.counts.lost.Add(1)
		}
		// The first one reads, or is about to: it finds the end by itself.
		if turn != o.own && !turn.first {
			turn.err = errors.New("the connection ended under it: " + o.line.err.Error()) // whose deadline it was is no matter
			turn.wake <- struct{}{}
		}
	}
}

// enqueue adds an operation and its request, and says whether it is the first one, which reads.
func (o *ordered) enqueue(turn *Turn, request []byte) (first bool) {
	o.queue.push(turn)
	turn.first = o.queue.len() == 1
	turn.from = o.put
	o.put += int64(len(request))
	turn.to = o.put
	o.out = append(o.out, request...)
	o.until = turn.deadline
	return turn.first
}

// flush writes the operation's request, unless somebody writes already, who takes it along. The lock is
// held before and after, and not while it writes.
//
// What others add meanwhile it leaves to a goroutine that does nothing else. A member may read on when its
// answer has been taken, and it is this operation that has to take it.
func (o *ordered) flush() {
	if o.writing {
		return
	}
	o.writing = true
	o.write()
	if o.writing = o.more(); o.writing {
		o.of.ended.Go(o.writeRest)
	}
}

func (o *ordered) more() bool { return len(o.out) > 0 && o.line.err == nil }

func (o *ordered) writeRest() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	for o.more() {
		o.write()
	}
	o.writing = false
}

// write gives the kernel what is there.
func (o *ordered) write() {
	out, until := o.out, o.until
	o.out, o.spare = o.spare[:0], nil
	o.offered += int64(len(out))
	o.of.mu.Unlock()
	err := o.SetWriteDeadline(until)
	n := 0
	if err == nil {
		n, err = o.Write(out)
	}
	o.of.mu.Lock()
	o.spare = out
	o.written += int64(n)
	if err != nil {
		o.offered = o.written
		o.of.kill(o.line, err)
	}
}

// sentOf is how much of an operation's request can have arrived. What the kernel is being given counts
// as all.
func (o *ordered) sentOf(turn *Turn) Sent {
	switch {
	case turn.from >= o.offered:
		return Nothing
	case turn.to <= o.offered:
		return All
	}
	return Part
}

// pop takes out the first operation, and lets the next one read.
func (o *ordered) pop() {
	o.queue.pop()
	if next := o.queue.peek(); next != nil {
		next.first = true
		next.wake <- struct{}{}
	}
}
