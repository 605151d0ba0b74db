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
	for _, c := range []struct {
		rounds, in, out int
		rows            uint32 // from one to the next
	}{
		{3000, 1, 1, 0}, {3000, 3, 2, 0}, {5, chunkSize, chunkSize, 0}, {5, chunkSize, chunkSize - 1, 0}, {5, chunkSize + 1, chunkSize, 0}, {2, 5000, 5000, 0},
		{3000, 1, 1, 1}, {5, chunkSize + 1, chunkSize, 2}, {2, 5000, 5000, 1},
	} {
		var q queue
		next, want := uint32(0), uint32(0)
		take := func() {
			if got, ok := q.pop(); !ok || got.intended != time.Duration(want) || got.row != want*c.rows || !got.limited {
				t.Fatalf("%+v: took %+v (%v), want %d", c, got, ok, want)
			}
			want++
			// The first and the last chunk may be used in part.
			if most := q.len()/chunkSize + 2; q.chunks() > most {
				t.Fatalf("%+v: %d chunks for %d operations", c, q.chunks(), q.len())
			}
		}
		for range c.rounds {
			for range c.in {
				q.push(due{intended: time.Duration(next), row: next * c.rows})
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
