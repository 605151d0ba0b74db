package loadgen

import "time"

// maxWaiting bounds the operations that wait for a slot in one worker: 128 MiB, or the
// operations of 4.6 hours at 1,000/s. In an open loop the store doesn't slow the arrivals,
// so without a bound a store that hangs for long would end the worker, and with it all
// that it has measured.
const maxWaiting = 16 << 20

// queue keeps intended times in their order. It grows by a chunk at a time, which is a
// moment however long it is, and gives back each chunk that was taken out.
type queue struct {
	first, last *chunk
	taken       int // of the first chunk
	put         int // into the last
	size        int
}

const chunkSize = 1024

type chunk struct {
	times [chunkSize]time.Duration
	next  *chunk
}

func (q *queue) len() int { return q.size }

func (q *queue) push(at time.Duration) {
	switch {
	case q.last == nil:
		q.first = &chunk{}
		q.last = q.first
	case q.put == chunkSize:
		q.last.next = &chunk{}
		q.last, q.put = q.last.next, 0
	}
	q.last.times[q.put] = at
	q.put++
	q.size++
}

func (q *queue) pop() (time.Duration, bool) {
	if q.size == 0 {
		return 0, false
	}
	at := q.first.times[q.taken]
	q.taken++
	q.size--
	switch {
	case q.size == 0:
		*q = queue{first: q.last, last: q.last} // its last chunk stays for the next time
	case q.taken == chunkSize:
		q.first, q.taken = q.first.next, 0
	}
	return at, true
}
