package report

import (
	"github.com/kvbench/kvbench/internal/bundle"
)

const (
	binMicros = bundle.BinMillis * 1000
)

// slot is a bundle.Bin without its empty buckets: an hour has 360,000 of them.
type slot struct {
	intended, failed, unknown, limited int64
	answered                           int64        // of failed, by the store and in time
	neverStarted                       int64        // waited for a slot until the run ended
	soon                               int64        // Bin.OK[0]
	late                               []lateBucket // the others that aren't 0
	firstDone                          int64        // -1: none
	completed                          int64
	firstComplete, lastComplete        int64
}

type lateBucket struct {
	bucket int
	count  int64
}

// timeline is the bins of all workers of a workload, added up.
type timeline struct {
	slots map[int64]*slot
}

func newTimeline() *timeline { return &timeline{slots: map[int64]*slot{}} }

// add adds a row, as bundle.Bin.Add does.
func (t *timeline) add(b *bundle.Bin) {
	t.put(b.Index, slotOf(b))
}

func (t *timeline) put(index int64, row *slot) {
	if s := t.slots[index]; s != nil {
		s.absorb(row)
		return
	}
	t.slots[index] = row
}

func slotOf(b *bundle.Bin) *slot {
	s := &slot{
		intended: b.Intended, failed: b.Failed, unknown: b.Unknown, limited: b.Limited,
		answered: b.Answered, neverStarted: b.NeverStarted,
		soon: b.OK[0], firstDone: b.FirstDoneMicros,
		completed: b.Completed, firstComplete: b.FirstCompleteMicros, lastComplete: b.LastCompleteMicros,
	}
	for bucket, count := range b.OK {
		if bucket > 0 && count > 0 {
			s.addLate(bucket, count)
		}
	}
	return s
}

// absorb adds what another worker recorded.
func (t *timeline) absorb(other *timeline) {
	for index, from := range other.slots {
		t.put(index, from)
	}
}

func (s *slot) absorb(from *slot) {
	s.intended += from.intended
	s.failed += from.failed
	s.answered += from.answered
	s.unknown += from.unknown
	s.neverStarted += from.neverStarted
	s.limited += from.limited
	s.soon += from.soon
	for _, l := range from.late {
		s.addLate(l.bucket, l.count)
	}
	if from.firstDone >= 0 && (s.firstDone < 0 || from.firstDone < s.firstDone) {
		s.firstDone = from.firstDone
	}
	if from.completed == 0 {
		return
	}
	if s.completed == 0 {
		s.firstComplete, s.lastComplete = from.firstComplete, from.lastComplete
	}
	s.firstComplete = min(s.firstComplete, from.firstComplete)
	s.lastComplete = max(s.lastComplete, from.lastComplete)
	s.completed += from.completed
}

func (s *slot) addLate(bucket int, count int64) {
	for i := range s.late {
		if s.late[i].bucket == bucket {
			s.late[i].count += count
			return
		}
	}
	s.late = append(s.late, lateBucket{bucket, count})
}

// served counts the operations that were served, where the bucket is the last in time.
func (s *slot) served(bucket int) int64 { return s.inTime(bucket) + s.answered }

// inTime counts the successes up to the bucket.
func (s *slot) inTime(bucket int) int64 {
	n := s.soon
	for _, l := range s.late {
		if l.bucket <= bucket {
			n += l.count
		}
	}
	return n
}

func (s *slot) succeeded() int64 { return s.inTime(bundle.LateBuckets) }

// at is the slot of that index, an empty one if nothing happened in it.
func (t *timeline) at(index int64) *slot {
	if s := t.slots[index]; s != nil {
		return s
	}
	return &emptySlot
}

var emptySlot = slot{firstDone: -1}

// tally is what the operations of some bins came to.
type tally struct {
	intended, succeeded, failed, unknown, neverStarted int64
}

func (t *tally) add(s *slot) {
	t.intended += s.intended
	t.succeeded += s.succeeded()
	t.failed += s.failed
	t.unknown += s.unknown
	t.neverStarted += s.neverStarted
}

// ended is how many operations have an outcome.
func (t *tally) ended() int64 { return t.succeeded + t.failed + t.unknown }

// total of all bins.
func (t *timeline) total() (sum tally) {
	for _, s := range t.slots {
		sum.add(s)
	}
	return sum
}
