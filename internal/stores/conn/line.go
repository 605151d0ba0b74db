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
	put        int64 // bytes of all requests, from the begin
	offered    int64 // of them, to the kernel
	written    int64 // of them, that it took

	answers int64     // so far
	seen    int64     // of them, when it was looked at last
	quiet   time.Time // since when there is none, or nothing to answer
	silent  bool      // it takes nothing new until an answer comes
	retired bool      // it takes nothing new, and ends
	err     error     // it has ended
}

// enqueue adds an operation and its request, and says whether it is the first one, which reads.
func (l *line) enqueue(turn *Turn, request []byte) (first bool) {
	l.queue.push(turn)
	turn.first = l.queue.len() == 1
	turn.from = l.put
	l.put += int64(len(request))
	turn.to = l.put
	l.out = append(l.out, request...)
	return turn.first
}

// flush writes what is there, that of others too who come meanwhile, unless somebody else does. The lock
// is held before and after, and not while it writes.
func (l *line) flush(turn *Turn) {
	if l.writing {
		return
	}
	l.writing = true
	for len(l.out) > 0 && l.err == nil {
		out := l.out
		l.out, l.spare = l.spare[:0], nil
		l.offered += int64(len(out))
		l.of.mu.Unlock()
		err := l.SetWriteDeadline(turn.deadline)
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
	l.writing = false
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
