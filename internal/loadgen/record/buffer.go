package record

import (
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// The times of an operation. An open loop has all three, and of the part of another operation the
// first two.
const (
	service     = iota // from the send
	response           // from the intended start: wait and service
	partService        // the same of parts
	partResponse
	wait // from the intended start to the send
	times
)

// second is what was intended in one second of the server's clock.
type second struct {
	unix  int64
	hists [stores.NumKinds][stores.NumOutcomes][times]*Histogram
	lag   *Histogram // of sends that did not wait for a slot; nil without any
}

func (s *second) recordLag(micros int64) bool {
	if s.lag == nil {
		s.lag = new(Histogram)
	}
	return s.lag.Record(micros)
}

func (s *second) record(kind stores.Kind, outcome stores.Outcome, which int, micros int64) bool {
	h := s.hists[kind][outcome][which]
	if h == nil {
		h = new(Histogram)
		s.hists[kind][outcome][which] = h
	}
	return h.Record(micros)
}

// cell is a bin as a whole in few bytes.
type cell struct {
	touched                         bool
	intended, neverStarted, limited uint32
	completed                       uint32
	firstComplete, lastComplete     int32
}

// ended is what is kept of how the operations of a series ended that were intended in a bin.
type ended struct {
	touched                         bool
	soon, failed, answered, unknown uint32
	firstDone                       int64
	late                            []lateCount
}

// lateCount are successes in a bucket of bundle.Bin.OK that isn't the first.
type lateCount struct {
	bucket int
	count  uint32
}

func (e *ended) succeed(bucket int) {
	if bucket == 0 {
		e.soon++
		return
	}
	for i := range e.late {
		if e.late[i].bucket == bucket {
			e.late[i].count++
			return
		}
	}
	e.late = append(e.late, lateCount{bucket: bucket, count: 1})
}

const (
	chunkBits = 7
	chunkSize = 1 << chunkBits
)

// chunk is some consecutive bins.
type chunk struct {
	number int64
	cells  [chunkSize]cell
	series [bundle.NumSeries]*[chunkSize]ended // nil for those that had none yet
}

// buffer is what one recorder has counted since the last swap.
type buffer struct {
	_       [64]byte  // as in Recorder
	seconds []*second // the one used last is the first
	chunks  []*chunk  // the one used last is the first

	intended, sent, late, finished, succeeded, limited, queued, dropped, overRange int64

	slots, own time.Duration // as in Interval
	places     Waits

	samples []Sample // where they are kept
}

// free marks a second or a chunk that is kept for its memory.
const free = -1

// second is the slot of a second: nearly always the one that was used last.
func (b *buffer) second(unix int64) *second {
	if len(b.seconds) > 0 && b.seconds[0].unix == unix {
		return b.seconds[0]
	}
	return b.otherSecond(unix)
}

// otherSecond finds or makes the slot of a second. There are few: one for each second
// whose operations ended since the last swap.
func (b *buffer) otherSecond(unix int64) *second {
	at := find(b.seconds, func(s *second) int64 { return s.unix }, unix)
	if at < 0 {
		at = len(b.seconds)
		b.seconds = append(b.seconds, &second{})
	}
	s := b.seconds[at]
	s.unix = unix
	b.seconds[0], b.seconds[at] = s, b.seconds[0]
	return s
}

// find is the index of the element with the number, else of a free one, else -1.
func find[T any](all []*T, number func(*T) int64, wanted int64) int {
	unused := -1
	for i, one := range all {
		switch number(one) {
		case wanted:
			return i
		case free:
			unused = i
		}
	}
	return unused
}

const binWidth = bundle.BinMillis * time.Millisecond

// place is where the bin of an instant is, and how far into the bin that is.
func (b *buffer) place(at time.Duration) (c *chunk, place int64, since time.Duration) {
	at = max(at, 0)
	index := int64(at / binWidth)
	return b.chunk(index >> chunkBits), index & (chunkSize - 1), at - time.Duration(index)*binWidth
}

// chunk is the chunk of that number: nearly always the one that was used last.
func (b *buffer) chunk(number int64) *chunk {
	if len(b.chunks) > 0 && b.chunks[0].number == number {
		return b.chunks[0]
	}
	return b.otherChunk(number)
}

func (b *buffer) otherChunk(number int64) *chunk {
	at := find(b.chunks, func(c *chunk) int64 { return c.number }, number)
	if at < 0 {
		at = len(b.chunks)
		b.chunks = append(b.chunks, &chunk{})
	}
	c := b.chunks[at]
	c.number = number
	b.chunks[0], b.chunks[at] = c, b.chunks[0]
	return c
}

// keep empties the buffer for its next turn; its recent memory stays, the rest is given
// back. The counts have been taken before.
func (b *buffer) keep() {
	*b = buffer{
		seconds: b.seconds[:min(len(b.seconds), keptSlots)],
		chunks:  b.chunks[:min(len(b.chunks), keptSlots)],
		samples: b.samples[:0],
	}
	clear(b.seconds[len(b.seconds):cap(b.seconds)])
	clear(b.chunks[len(b.chunks):cap(b.chunks)])
	for _, s := range b.seconds {
		s.unix = free
	}
	for _, c := range b.chunks {
		c.number = free
	}
}

// keptSlots is how many seconds and chunks a buffer keeps for the next time.
const keptSlots = 2

// cell is the bin as a whole at a place of the chunk.
func (c *chunk) cell(place int64) *cell {
	found := &c.cells[place]
	if !found.touched {
		*found = cell{touched: true, firstComplete: -1, lastComplete: -1}
	}
	return found
}

// ended is what ended of a series.
func (c *chunk) ended(place int64, series bundle.Series) *ended {
	all := c.series[series]
	if all == nil {
		all = new([chunkSize]ended)
		c.series[series] = all
	}
	found := &all[place]
	if !found.touched {
		*found = ended{touched: true, firstDone: -1, late: found.late[:0]}
	}
	return found
}

// bin is the cell as the file has it.
func (c *cell) bin(index int64) bundle.Bin {
	b := bundle.NewBin(index)
	b.Intended, b.NeverStarted, b.Limited = int64(c.intended), int64(c.neverStarted), int64(c.limited)
	b.Completed, b.FirstCompleteMicros, b.LastCompleteMicros = int64(c.completed), int64(c.firstComplete), int64(c.lastComplete)
	return b
}

// bin is the same of a series.
func (e *ended) bin(index int64, series bundle.Series) bundle.Bin {
	b := bundle.NewSeriesBin(index, series)
	b.OK[0], b.FirstDoneMicros = int64(e.soon), e.firstDone
	b.Failed, b.Answered, b.Unknown = int64(e.failed), int64(e.answered), int64(e.unknown)
	for _, l := range e.late {
		b.OK[l.bucket] += int64(l.count)
	}
	return b
}

// take calls each for the bins of the chunk, which is empty then.
func (c *chunk) take(each func(bundle.Bin)) {
	for i := range c.cells {
		if c.cells[i].touched {
			each(c.cells[i].bin(c.number<<chunkBits + int64(i)))
			c.cells[i].touched = false
		}
	}
	for series, all := range c.series {
		if all == nil {
			continue
		}
		for i := range all {
			if all[i].touched {
				each(all[i].bin(c.number<<chunkBits+int64(i), bundle.Series(series)))
				all[i].touched = false
			}
		}
	}
}
