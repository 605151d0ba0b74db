package record

import (
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// Sample is one operation that has ended, or a part of one. Instants count from the start.
type Sample struct {
	Kind    stores.Kind
	Shard   uint8 // as in stores.Op
	Outcome stores.Outcome
	// Intended is when it should have been sent; in a closed loop, when it was.
	Intended time.Duration
	Sent     time.Duration
	Done     time.Duration
	// Answered: it failed because the store said so, such as that there is no such record.
	Answered bool
	// Code is what the store's driver calls its failure; "" where it succeeded.
	Code string
	// Part is the read or the update of a read-modify-write, or the insert after a read that
	// missed: it has its latency, but is no operation that was intended.
	Part bool
}

// Recorder counts. It is safe for concurrent use, and meant to be used by few threads.
type Recorder struct {
	mu             sync.Mutex
	now, other     *buffer
	startUnixNanos int64
	open, keep     bool
	_              [64]byte // recorders of other threads stay off this cache line
}

func newRecorder(startUnixNanos int64, open bool) *Recorder {
	return &Recorder{now: &buffer{}, other: &buffer{}, startUnixNanos: startUnixNanos, open: open}
}

// unix is the second of the server's clock that an instant is in.
func (r *Recorder) unix(at time.Duration) int64 {
	return (r.startUnixNanos + int64(at)) / int64(time.Second)
}

// Intend counts an operation that is due; limited when it has to wait for a free slot.
func (r *Recorder) Intend(at time.Duration, limited bool) {
	r.mu.Lock()
	r.now.intend(at, limited)
	r.mu.Unlock()
}

// Queue records when an operation that has to wait for a slot, or for a place on a connection, began
// to: until then its delay was the generator's, from then on it is the store's.
func (r *Recorder) Queue(intended, queued time.Duration) {
	unix := r.unix(intended)
	r.mu.Lock()
	r.now.queued++
	r.now.lag(unix, queued-intended)
	r.mu.Unlock()
}

// Send counts a send that needed no slot to become free, so that all its delay is the
// generator's.
func (r *Recorder) Send(intended, sent time.Duration) {
	unix := r.unix(intended)
	r.mu.Lock()
	r.now.sent++
	r.now.lag(unix, sent-intended)
	r.mu.Unlock()
}

// SendLimited counts a send that had to wait for a slot; its lag is known from Queue. The slot's
// operation before was sent so long ago, and so much of that was not the store's.
func (r *Recorder) SendLimited(ago, own time.Duration) {
	r.mu.Lock()
	r.now.sent++
	r.now.slots += ago
	r.now.own += own
	r.mu.Unlock()
}

// Place counts an operation that got its place on a connection so long after it asked for one.
func (r *Recorder) Place(waited time.Duration) {
	r.mu.Lock()
	r.now.places.add(waited)
	r.mu.Unlock()
}

// NeverStart counts an operation that was intended and still waits for a slot when the
// run ends.
func (r *Recorder) NeverStart(intended time.Duration) {
	r.mu.Lock()
	chunk, place, _ := r.now.place(intended)
	chunk.cell(place).neverStarted++
	r.mu.Unlock()
}

// Finish counts an operation that has ended. In a closed loop it is also what counts it
// as intended and sent.
func (r *Recorder) Finish(s *Sample) {
	unix := r.unix(s.Intended)
	r.mu.Lock()
	b := r.now
	slot := b.second(unix)
	ofService, ofResponse := service, response
	if s.Part {
		ofService, ofResponse = partService, partResponse
	}
	took := (s.Done - s.Sent).Microseconds()
	b.took(took, slot.record(s.Kind, s.Outcome, ofService, took))
	if r.open {
		took = (s.Done - s.Intended).Microseconds()
		b.took(took, slot.record(s.Kind, s.Outcome, ofResponse, took))
	}
	if !s.Part {
		if r.open {
			took = (s.Sent - s.Intended).Microseconds()
			b.took(took, slot.record(s.Kind, s.Outcome, wait, took))
			if took > bundle.LateSendMicros {
				b.late++
			}
		}
		b.finish(s, !r.open)
	}
	if r.keep {
		b.samples = append(b.samples, *s)
	}
	r.mu.Unlock()
}

func (b *buffer) intend(at time.Duration, limited bool) {
	chunk, place, _ := b.place(at)
	c := chunk.cell(place)
	c.intended++
	b.intended++
	if limited {
		c.limited++
		b.limited++
	}
}

func (b *buffer) lag(unix int64, late time.Duration) {
	took := max(0, late.Microseconds())
	b.took(took, b.second(unix).recordLag(took))
}

// took counts what a histogram did with a value.
func (b *buffer) took(micros int64, taken bool) {
	if !taken {
		b.dropped++
	}
	if micros > bundle.HistogramMaxMicros {
		b.overRange++
	}
}

// finish counts an operation that has ended; with intend, also as intended and sent.
func (b *buffer) finish(s *Sample, intend bool) {
	b.finished++
	chunk, place, from := b.place(s.Intended)
	if intend {
		chunk.cell(place).intended++
		b.intended++
		b.sent++
	}
	e := chunk.ended(place, bundle.SeriesOf(s.Kind, s.Shard))
	elapsed := (s.Done - s.Intended).Microseconds()
	done := from.Microseconds() + elapsed
	switch s.Outcome {
	case stores.Failed:
		e.failed++
		if s.Answered && elapsed <= bundle.LateBaseMicros {
			e.answered++
			e.done(done)
		}
		return
	case stores.Unknown:
		e.unknown++
		return
	}
	b.succeeded++
	e.succeed(bundle.LateBucket(elapsed))
	e.done(done)
	if until := from + s.Done - s.Intended; until < binWidth {
		chunk.cell(place).complete(until)
		return
	}
	chunk, place, from = b.place(s.Done)
	chunk.cell(place).complete(from)
}

// complete counts a success at so far into the bin.
func (c *cell) complete(since time.Duration) {
	at := int32(since / time.Microsecond)
	c.completed++
	if c.firstComplete < 0 || at < c.firstComplete {
		c.firstComplete = at
	}
	c.lastComplete = max(c.lastComplete, at)
}

// done notes when an operation was answered, in microseconds from its bin's begin.
func (e *ended) done(micros int64) {
	if e.firstDone < 0 || micros < e.firstDone {
		e.firstDone = micros
	}
}

// swap returns what was counted; it is the caller's until the next swap.
func (r *Recorder) swap() *buffer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.swapHeld()
}

// trySwap is swap, or nil when the recorder is in use.
func (r *Recorder) trySwap() *buffer {
	if !r.mu.TryLock() {
		return nil
	}
	defer r.mu.Unlock()
	return r.swapHeld()
}

func (r *Recorder) swapHeld() *buffer {
	r.now, r.other = r.other, r.now
	return r.other
}
