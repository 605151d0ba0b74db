package loadgen

import "time"

// maxWaiting bounds the operations that wait for a slot in one worker: 128 MiB (192 of a
// trace), or the operations of 4.6 hours at 1,000/s. In an open loop the store doesn't slow
// the arrivals, so without a bound a store that hangs for long would end the worker, and
// with it all that it has measured.
const maxWaiting = 16 << 20

// queue keeps operations that are due, in their order. It grows by a chunk at a time, which
// is a moment however long it is, and gives back each chunk that was taken out.
type queue struct {
	first, last *chunk
	taken       int // of the first chunk
	put         int // into the last
	size        int
}

const chunkSize = 1024

type chunk struct {
	times [chunkSize]time.Duration
	rows  *[chunkSize]uint32 // of a trace; nil while all are 0
	next  *chunk
}

func (q *queue) len() int { return q.size }

func (q *queue) push(op due) {
	switch {
	case q.last == nil:
		q.first = &chunk{}
		q.last = q.first
	case q.put == chunkSize:
		q.last.next = &chunk{}
		q.last, q.put = q.last.next, 0
	}
	q.last.put(q.put, op)
	q.put++
	q.size++
}

func (q *queue) pop() (due, bool) {
	if q.size == 0 {
		return due{}, false
	}
	op := q.first.get(q.taken)
	q.taken++
	q.size--
	switch {
	case q.size == 0:
		*q = queue{first: q.last, last: q.last} // its last chunk stays for the next time
	case q.taken == chunkSize:
		q.first, q.taken = q.first.next, 0
	}
	return op, true
}

func (c *chunk) put(i int, op due) {
	c.times[i] = op.intended
	if c.rows == nil && op.row > 0 {
		c.rows = new([chunkSize]uint32)
	}
	if c.rows != nil {
		c.rows[i] = op.row
	}
}

// get is what was put there; it has waited for a slot.
func (c *chunk) get(i int) due {
	op := due{intended: c.times[i], limited: true}
	if c.rows != nil {
		op.row = c.rows[i]
	}
	return op
}
