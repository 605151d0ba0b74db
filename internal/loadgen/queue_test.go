package loadgen

import (
	"testing"
	"time"
)

func (q *queue) chunks() (n int) {
	for c := q.first; c != nil; c = c.next {
		n++
	}
	return n
}

func TestTheQueueKeepsItsOrderAndGivesItsMemoryBack(t *testing.T) {
	for _, c := range []struct{ rounds, in, out int }{
		{3000, 1, 1}, {3000, 3, 2}, {5, chunkSize, chunkSize}, {5, chunkSize, chunkSize - 1}, {5, chunkSize + 1, chunkSize}, {2, 5000, 5000},
	} {
		var q queue
		next, want := time.Duration(0), time.Duration(0)
		take := func() {
			if got, ok := q.pop(); !ok || got != want {
				t.Fatalf("%+v: took %d (%v), want %d", c, got, ok, want)
			}
			want++
			// The first and the last chunk may be used in part.
			if most := q.len()/chunkSize + 2; q.chunks() > most {
				t.Fatalf("%+v: %d chunks for %d operations", c, q.chunks(), q.len())
			}
		}
		for range c.rounds {
			for range c.in {
				q.push(next)
				next++
			}
			for range c.out {
				take()
			}
		}
		if q.len() != int(next-want) {
			t.Errorf("%+v: %d wait, want %d", c, q.len(), next-want)
		}
		for want < next {
			take()
		}
		if _, ok := q.pop(); ok || q.chunks() > 1 {
			t.Errorf("%+v: an empty queue has an operation (%v), or %d chunks", c, ok, q.chunks())
		}
	}
}
