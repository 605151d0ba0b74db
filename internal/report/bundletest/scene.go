// Package bundletest writes the files of a bundle to memory, as the pods would write them. Tests of the report use it.
package bundletest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/timeline"
	"github.com/kvbench/kvbench/internal/stores"
)

// A Scene is load on a store that keeps to a script, without time passing: operations are
// intended at their instants, and answer says how each ended. All instants and durations
// are in microseconds; instants count from the workload's start.
type Scene struct {
	Rate     float64 // operations/s
	Poisson  bool
	Workers  int   // their arrivals are independent; 0 is 1
	Duration int64 // intended in [0, duration)
	Seed     uint64
	Answer   func(intended int64) Answer
}

// Answer is how an operation ended.
type Answer struct {
	Failed  bool
	Absent  bool // failed, because the store answered that there is no such record
	Unknown bool
	Never   bool  // got no slot before the end
	Took    int64 // response time
	Waited  bool  // for a free slot
	Shard   uint8
}

const (
	Millisecond = 1000      // in microseconds
	Second      = 1_000_000 // in microseconds

	binMicros = bundle.BinMillis * 1000
)

// Recording is bins, as all workers write them.
type Recording map[recordingKey]*bundle.Bin

type recordingKey struct {
	index  int64
	series bundle.Series
}

// bins are in the order of the file.
func (r Recording) bins() []bundle.Bin {
	var all []bundle.Bin
	for _, b := range r {
		all = append(all, *b)
	}
	slices.SortFunc(all, bundle.CompareBins)
	return all
}

// Play is what the scene's workers record.
func (s Scene) Play() Recording {
	all := Recording{}
	workers := max(1, s.Workers)
	for w := range workers {
		random := rand.New(rand.NewPCG(s.Seed, uint64(w)))
		gap := 1e6 * float64(workers) / s.Rate
		for at := gap * float64(w) / float64(workers); at < float64(s.Duration); {
			all.Record(int64(at), s.Answer(int64(at)))
			if s.Poisson {
				at += -math.Log(1-random.Float64()) * gap
			} else {
				at += gap
			}
		}
	}
	return all
}

// Timeline of a workload of that length whose faults are everywhere.
func (r Recording) Timeline(t *testing.T, duration int64) *timeline.Timeline {
	t.Helper()
	clock := instant.Clock{End: instant.FromStart(duration), Recorded: instant.FromStart(duration), MeasuredMicros: duration}
	always := timeline.Spans{{From: -timeline.DetailLead, To: 1 << 40}}
	tl := timeline.New(clock, timeline.Detail{All: always, Series: always})
	for _, b := range r.bins() {
		if err := tl.Add(&b); err != nil {
			t.Fatal(err)
		}
	}
	return tl
}

func (r Recording) bin(index int64, series bundle.Series) *bundle.Bin {
	key := recordingKey{index, series}
	if r[key] == nil {
		bin := bundle.NewSeriesBin(index, series)
		r[key] = &bin
	}
	return r[key]
}

// KindOf is reads and updates by turns.
func KindOf(intended int64) stores.Kind { return stores.Kind(intended / 7 % 2) }

// Record is what a worker's recorder does with an operation.
func (r Recording) Record(intended int64, a Answer) {
	done, index := intended+a.Took, intended/binMicros
	whole, row := bundle.NewBin(index), bundle.NewBin(index)
	whole.Intended = 1
	switch {
	case a.Never:
		whole.NeverStarted = 1
	case a.Absent && a.Took <= bundle.LateBaseMicros:
		row.Failed, row.Answered, row.FirstDoneMicros = 1, 1, done-index*binMicros
	case a.Failed || a.Absent:
		row.Failed = 1
	case a.Unknown:
		row.Unknown = 1
	default:
		row.OK[bundle.LateBucket(a.Took)], row.FirstDoneMicros = 1, done-index*binMicros
	}
	if a.Waited {
		whole.Limited = 1
	}
	r.bin(index, 0).Add(&whole)
	if row.Ended() > 0 {
		r.bin(index, bundle.SeriesOf(KindOf(intended), a.Shard)).Add(&row)
	}
	if row.Succeeded() > 0 {
		completed, since := bundle.NewBin(done/binMicros), done%binMicros
		completed.Completed, completed.FirstCompleteMicros, completed.LastCompleteMicros = 1, since, since
		r.bin(done/binMicros, 0).Add(&completed)
	}
}

// Healthy answers in 2 ms.
func Healthy(int64) Answer { return Answer{Took: 2 * Millisecond} }

// Stall answers nothing from down to back, then all of it.
func Stall(down, back int64) func(int64) Answer {
	return func(at int64) Answer {
		if at >= back || at+2*Millisecond < down {
			return Healthy(at)
		}
		return Answer{Took: max(back-at, 0) + 2*Millisecond}
	}
}

// Swallow never answers what it holds at down or gets before back; such operations end at
// their deadline.
func Swallow(down, back, timeout int64) func(int64) Answer {
	return func(at int64) Answer {
		if at >= back || at+2*Millisecond < down {
			return Healthy(at)
		}
		return Answer{Unknown: true, Took: timeout}
	}
}
