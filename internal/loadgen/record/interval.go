package record

import (
	"slices"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// Set is all recorders of a worker.
type Set struct {
	startUnixNanos int64
	recorders      []*Recorder
	swapped        []*buffer // of each recorder
	interval       Interval
}

// NewSet makes n recorders. Instants count from the start; open says whether samples have
// a response time.
func NewSet(n int, startUnixNanos int64, open bool) *Set {
	s := &Set{startUnixNanos: startUnixNanos, interval: Interval{StartUnixNanos: startUnixNanos, byBin: map[binOf]int{}}}
	for range n {
		s.recorders = append(s.recorders, newRecorder(startUnixNanos, open))
	}
	s.swapped = make([]*buffer, n)
	return s
}

// KeepSamples has every sample kept, from its end to the Collect after it. It is called before
// the first one.
func (s *Set) KeepSamples() {
	for _, r := range s.recorders {
		r.keep = true
	}
}

// Recorder is the one for a thread's number.
func (s *Set) Recorder(number int) *Recorder { return s.recorders[number%len(s.recorders)] }

// Interval is what all recorders counted between two Collects.
type Interval struct {
	StartUnixNanos int64 // what instants count from, on the server's clock

	seconds []*second    // ascending
	Bins    []bundle.Bin // in the order of bundle.CompareBins

	Intended, Sent, Finished, Succeeded, Limited int64
	Queued                                       int64 // of Intended, those that had to wait: for a slot, or for a place on a connection
	Late                                         int64 // of Finished, those sent more than bundle.LateSendMicros late
	// Slots is how long the slots were busy for which operations waited, and Own what of it was
	// the generator's work.
	Slots, Own time.Duration
	Places     Waits // for a place on a connection
	// Samples are each recorder's, in the order of their ends; none without KeepSamples.
	Samples   [][]Sample
	Dropped   int64 // values that no histogram could take
	OverRange int64 // values above bundle.HistogramMaxMicros, counted as that

	byBin map[binOf]int
}

// binOf is what an interval has one Bin of.
type binOf struct {
	index  int64
	series bundle.Series
}

// Waits counts operations that waited.
type Waits struct {
	Count        int64
	Sum, Longest time.Duration
}

func (w *Waits) add(waited time.Duration) { w.merge(Waits{Count: 1, Sum: waited, Longest: waited}) }

func (w *Waits) merge(others Waits) {
	w.Count += others.Count
	w.Sum += others.Sum
	w.Longest = max(w.Longest, others.Longest)
}

// Collect adds up what was counted since the last time. One goroutine collects; the
// interval is valid until it does so again.
func (s *Set) Collect() *Interval {
	in := &s.interval
	clear(in.byBin)
	*in = Interval{StartUnixNanos: s.startUnixNanos, Bins: in.Bins[:0], Samples: in.Samples[:0], byBin: in.byBin}
	s.swap()
	for _, b := range s.swapped {
		in.take(b)
	}
	slices.SortFunc(in.seconds, func(a, b *second) int { return int(a.unix - b.unix) })
	slices.SortFunc(in.Bins, bundle.CompareBins)
	return in
}

// swap takes what each recorder has counted. On a busy machine a thread may be held up while
// it holds its recorder, so nobody waits for one of them before the others.
func (s *Set) swap() {
	var held sync.WaitGroup
	for i, r := range s.recorders {
		if s.swapped[i] = r.trySwap(); s.swapped[i] == nil {
			held.Go(func() { s.swapped[i] = r.swap() })
		}
	}
	held.Wait()
}

func (in *Interval) take(b *buffer) {
	for _, from := range b.seconds {
		if from.unix != free {
			in.second(from.unix).add(from)
		}
	}
	for _, c := range b.chunks {
		c.take(in.add)
	}
	in.Intended += b.intended
	in.Sent += b.sent
	in.Late += b.late
	in.Finished += b.finished
	in.Succeeded += b.succeeded
	in.Limited += b.limited
	in.Queued += b.queued
	in.Slots += b.slots
	in.Own += b.own
	in.Places.merge(b.places)
	in.Dropped += b.dropped
	in.OverRange += b.overRange
	if len(b.samples) > 0 {
		in.Samples = append(in.Samples, b.samples)
	}
	b.keep()
}

func (in *Interval) second(unix int64) *second {
	for _, s := range in.seconds {
		if s.unix == unix {
			return s
		}
	}
	s := &second{unix: unix}
	in.seconds = append(in.seconds, s)
	return s
}

func (s *second) add(from *second) {
	for kind := range from.hists {
		for outcome := range from.hists[kind] {
			for which := range from.hists[kind][outcome] {
				move(&s.hists[kind][outcome][which], &from.hists[kind][outcome][which])
			}
		}
	}
	move(&s.lag, &from.lag)
}

// move adds from's counts to sum's. A histogram that has counted nothing since the last
// time gives its memory back.
func move(sum, from **Histogram) {
	switch {
	case *from == nil:
	case (*from).total == 0:
		*from = nil
	default:
		if *sum == nil {
			*sum = new(Histogram)
		}
		(*from).moveTo(*sum)
	}
}

func (in *Interval) add(bin bundle.Bin) {
	of := binOf{bin.Index, bin.Series}
	at, ok := in.byBin[of]
	if !ok {
		in.byBin[of] = len(in.Bins)
		in.Bins = append(in.Bins, bin)
		return
	}
	in.Bins[at].Add(&bin)
}

// Row says what a histogram is of.
type Row struct {
	Unix     int64 // the second
	Kind     stores.Kind
	Outcome  stores.Outcome
	Response bool // response times, else service times
	Part     bool // of parts of other operations
}

// Each calls f for every histogram with counts, in the order of time, operation, outcome.
func (in *Interval) Each(f func(of Row, h *Histogram)) {
	for _, s := range in.seconds {
		for kind := range s.hists {
			for outcome := range s.hists[kind] {
				for which, h := range s.hists[kind][outcome][:wait] {
					if h != nil && h.total > 0 {
						f(Row{
							Unix: s.unix, Kind: stores.Kind(kind), Outcome: stores.Outcome(outcome),
							Response: which == response || which == partResponse, Part: which >= partService,
						}, h)
					}
				}
			}
		}
	}
}

// EachLag calls f for every second in which operations were intended that found a free
// slot, in the order of time, with the lag of their sends.
func (in *Interval) EachLag(f func(unix int64, h *Histogram)) {
	for _, s := range in.seconds {
		if s.lag != nil && s.lag.total > 0 {
			f(s.unix, s.lag)
		}
	}
}
