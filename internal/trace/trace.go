// Package trace reads recorded requests, so that a workload can make them again: when each was due, its
// operation, its key, and its size in bytes.
//
// A trace is read once, row by row. It takes the bytes of its keys and about 24 bytes a row in memory, so
// ten million rows fit a worker.
package trace

import (
	"time"

	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/stores"
)

// Request is one row.
type Request struct {
	At   time.Duration // since the first row of the trace
	Kind stores.Kind
	Key  []byte // the trace's: not to be changed
	Size int    // bytes of a value to write, records to scan; else 0
}

// Share says which part of a trace a worker replays, and how fast.
type Share struct {
	Worker, Workers int
	// Stretch makes every gap so many times as long: 0.5 replays twice as fast.
	Stretch float64
	// Warmup begins with the first row. What is due in it is not measured.
	Warmup time.Duration
	// Operations is how many of the measured rows are replayed; 0 for all.
	Operations int64
}

// Summary is of all rows of a trace, whoever replays them.
type Summary struct {
	Rows     int64
	Measured int64 // that are due after the warm-up
	Busiest  int64 // the most that are due in one second, counted from the first row
	Largest  int64 // bytes of a value to write
	Scans    int64
	Last     time.Duration // when the last row is due, from the first one on
	LastUsed time.Duration // when the last row that is replayed is due
}

// Trace is a worker's share.
type Trace struct {
	share  Share
	whole  Summary
	chunks [][]row
	keys   [][]byte // blocks
	length int
}

type row struct {
	at     time.Duration
	key    uint32 // where it begins in its block
	block  uint32
	size   uint32
	length uint16 // of the key
	kind   stores.Kind
}

// They grow by pieces: an array that doubles needs three times its size for a moment.
const (
	chunkRows = 1 << 14
	blockSize = 1 << 18
)

// Summary is of the whole trace.
func (t *Trace) Summary() Summary { return t.whole }

// Operations is how many of the first so many measured rows of the whole trace are the
// share's. Those of all workers add up to that number, if there are as many rows.
func (t *Trace) Operations(most int64) int64 {
	first := t.whole.Rows - t.whole.Measured
	last := min(first+most, t.whole.Rows)
	return t.before(last) - t.before(first)
}

// before is how many of the first n rows of the whole trace are the share's.
func (t *Trace) before(n int64) int64 {
	workers := int64(t.share.Workers)
	return (n - int64(t.share.Worker) + workers - 1) / workers
}

// Len is the number of requests.
func (t *Trace) Len() int { return t.length }

// Request is the one of that number, in the order of their times.
func (t *Trace) Request(number int) Request {
	r := &t.chunks[number/chunkRows][number%chunkRows]
	end := r.key + uint32(r.length)
	return Request{At: r.at, Kind: r.kind, Key: t.keys[r.block][r.key:end:end], Size: int(r.size)}
}

// Law gives the times of the requests, and then rate.Never.
func (t *Trace) Law() *Law { return &Law{trace: t} }

// Law is the arrivals of a trace.
type Law struct {
	trace *Trace
	next  int
}

// Next implements pace.Law: the n-th time is that of the n-th request.
func (l *Law) Next() time.Duration {
	if l.next == l.trace.length {
		return rate.Never
	}
	at := l.trace.chunks[l.next/chunkRows][l.next%chunkRows].at
	l.next++
	return at
}

func (t *Trace) add(at time.Duration, kind stores.Kind, key []byte, size int64) {
	if t.length%chunkRows == 0 {
		t.chunks = append(t.chunks, make([]row, 0, chunkRows))
	}
	last := len(t.keys) - 1
	if last < 0 || len(t.keys[last])+len(key) > blockSize {
		t.keys = append(t.keys, make([]byte, 0, blockSize))
		last++
	}
	block := &t.keys[last]
	rows := &t.chunks[len(t.chunks)-1]
	*rows = append(*rows, row{
		at: at, kind: kind, size: uint32(size), length: uint16(len(key)), block: uint32(last), key: uint32(len(*block)),
	})
	*block = append(*block, key...)
	t.length++
}
