package conn

import "time"

// line is one of the connections that operations share. What it has is guarded by its Shared's lock, but
// for the connection: the first operation of the queue reads, and one of them writes for all.
type line struct {
	*Conn
	of    *Shared
	queue queue // operations without an answer, in the order of their requests
	load  int   // places that are taken; some of them may not be in the queue yet

	out, spare []byte // requests to write
	writing    bool
	until      time.Time // deadline of the last one
	put        int64     // bytes of all requests, from the begin
	offered    int64     // of them, to the kernel
	written    int64     // of them, that it took

	answers int64     // so far
	seen    int64     // of them, when it was looked at last
	quiet   time.Time // since when there is none, or nothing to answer
	silent  bool      // it takes nothing new until an answer comes
	retired bool      // it takes nothing new, and ends
	err     error     // it has ended
}

// sound is Sound of a connection that nothing is under way on; the last operation's deadline, which may
// have passed, is no matter.
func (l *line) sound() bool { return l.SetReadDeadline(time.Time{}) == nil && l.Sound() }

// enqueue adds an operation and its request, and says whether it is the first one, which reads.
func (l *line) enqueue(turn *Turn, request []byte) (first bool) {
	l.queue.push(turn)
	turn.first = l.queue.len() == 1
	turn.from = l.put
	l.put += int64(len(request))
	turn.to = l.put
	l.out = append(l.out, request...)
	l.until = turn.deadline
	return turn.first
}

// flush writes the operation's request, unless somebody writes already, who takes it along. The lock is
// held before and after, and not while it writes.
//
// What others add meanwhile it leaves to a goroutine that does nothing else. A member may read on when its
// answer has been taken, and it is this operation that has to take it.
func (l *line) flush() {
	if l.writing {
		return
	}
	l.writing = true
	l.write()
	if l.writing = l.more(); l.writing {
		l.of.ended.Go(l.writeRest)
	}
}

func (l *line) more() bool { return len(l.out) > 0 && l.err == nil }

func (l *line) writeRest() {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	for l.more() {
		l.write()
	}
	l.writing = false
}

// write gives the kernel what is there.
func (l *line) write() {
	out, until := l.out, l.until
	l.out, l.spare = l.spare[:0], nil
	l.offered += int64(len(out))
	l.of.mu.Unlock()
	err := l.SetWriteDeadline(until)
	n := 0
	if err == nil {
		n, err = l.Write(out)
	}
	l.of.mu.Lock()
	l.spare = out
	l.written += int64(n)
	if err != nil {
		l.offered = l.written
		l.of.kill(l, err, nil)
	}
}

// sentOf is how much of an operation's request can have arrived. What the kernel is being given counts
// as all.
func (l *line) sentOf(turn *Turn) Sent {
	switch {
	case turn.from >= l.offered:
		return Nothing
	case turn.to <= l.offered:
		return All
	}
	return Part
}

// pop takes out the first operation, and lets the next one read.
func (l *line) pop() {
	l.queue.pop()
	if next := l.queue.peek(); next != nil {
		next.first = true
		next.wake <- struct{}{}
	}
}
