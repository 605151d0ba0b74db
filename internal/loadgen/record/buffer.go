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

// cell is a bin in few bytes.
type cell struct {
	touched                             bool
	intended, failed, answered, unknown uint32
	neverStarted, limited, completed    uint32
	firstComplete, lastComplete         int32
	firstDone                           int64
	ok                                  [bundle.LateBuckets]uint32
}

const (
	chunkBits = 7
	chunkSize = 1 << chunkBits
)

// chunk is some consecutive bins.
type chunk struct {
	number int64
	cells  [chunkSize]cell
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

// cell finds or makes the bin of an instant, and how far into the bin that is.
func (b *buffer) cell(at time.Duration) (c *cell, since time.Duration) {
	at = max(at, 0)
	index := int64(at / binWidth)
	c = &b.chunk(index >> chunkBits).cells[index&(chunkSize-1)]
	if !c.touched {
		*c = cell{touched: true, firstDone: -1, firstComplete: -1, lastComplete: -1}
	}
	return c, at - time.Duration(index)*binWidth
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

// bin is the cell as the file has it.
func (c *cell) bin(index int64) bundle.Bin {
	b := bundle.Bin{
		Index: index, Intended: int64(c.intended), Failed: int64(c.failed), Answered: int64(c.answered),
		Unknown: int64(c.unknown), NeverStarted: int64(c.neverStarted), Limited: int64(c.limited),
		FirstDoneMicros: c.firstDone, Completed: int64(c.completed),
		FirstCompleteMicros: int64(c.firstComplete), LastCompleteMicros: int64(c.lastComplete),
	}
	for i, n := range c.ok {
		b.OK[i] = int64(n)
	}
	return b
}
