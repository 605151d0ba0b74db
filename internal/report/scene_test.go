package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// A scene is load on a store that keeps to a script, without time passing: operations are
// intended at their instants, and answer says how each ended. All instants and durations
// are in microseconds; instants count from the workload's start.
type scene struct {
	rate     float64 // operations/s
	poisson  bool
	workers  int   // their arrivals are independent; 0 is 1
	duration int64 // intended in [0, duration)
	seed     uint64
	answer   func(intended int64) answer
}

type answer struct {
	failed  bool
	absent  bool // failed, because the store answered that there is no such record
	unknown bool
	never   bool  // got no slot before the end
	took    int64 // response time
	waited  bool  // for a free slot
	shard   uint8
}

const (
	ms  = int64(1000)
	sec = int64(1_000_000)
)

// recording is bins, as all workers write them.
type recording map[recordingKey]*bundle.Bin

type recordingKey struct {
	index  int64
	series bundle.Series
}

// bins are in the order of the file.
func (r recording) bins() []bundle.Bin {
	var all []bundle.Bin
	for _, b := range r {
		all = append(all, *b)
	}
	slices.SortFunc(all, bundle.CompareBins)
	return all
}

// play is what the scene's workers record.
func (s scene) play() recording {
	all := recording{}
	workers := max(1, s.workers)
	for w := range workers {
		random := rand.New(rand.NewPCG(s.seed, uint64(w)))
		gap := 1e6 * float64(workers) / s.rate
		for at := gap * float64(w) / float64(workers); at < float64(s.duration); {
			all.record(int64(at), s.answer(int64(at)))
			if s.poisson {
				at += -math.Log(1-random.Float64()) * gap
			} else {
				at += gap
			}
		}
	}
	return all
}

// timeline of a workload of that length whose faults are everywhere.
func (r recording) timeline(t *testing.T, duration int64) *timeline {
	t.Helper()
	clock := workloadClock{endMicros: duration, recordedMicros: duration, measuredDuration: duration}
	always := spans{{from: -detailLead, to: 1 << 40}}
	tl := newTimeline(clock, detail{whole: always, series: always})
	for _, b := range r.bins() {
		if err := tl.add(&b); err != nil {
			t.Fatal(err)
		}
	}
	return tl
}

func (r recording) bin(index int64, series bundle.Series) *bundle.Bin {
	key := recordingKey{index, series}
	if r[key] == nil {
		bin := bundle.NewSeriesBin(index, series)
		r[key] = &bin
	}
	return r[key]
}

// kindOf is reads and updates by turns.
func kindOf(intended int64) stores.Kind { return stores.Kind(intended / 7 % 2) }

// record is what a worker's recorder does with an operation.
func (r recording) record(intended int64, a answer) {
	done, index := intended+a.took, intended/binMicros
	whole, row := bundle.NewBin(index), bundle.NewBin(index)
	whole.Intended = 1
	switch {
	case a.never:
		whole.NeverStarted = 1
	case a.absent && a.took <= bundle.LateBaseMicros:
		row.Failed, row.Answered, row.FirstDoneMicros = 1, 1, done-index*binMicros
	case a.failed || a.absent:
		row.Failed = 1
	case a.unknown:
		row.Unknown = 1
	default:
		row.OK[bundle.LateBucket(a.took)], row.FirstDoneMicros = 1, done-index*binMicros
	}
	if a.waited {
		whole.Limited = 1
	}
	r.bin(index, 0).Add(&whole)
	if row.Ended() > 0 {
		r.bin(index, bundle.SeriesOf(kindOf(intended), a.shard)).Add(&row)
	}
	if row.Succeeded() > 0 {
		completed, since := bundle.NewBin(done/binMicros), done%binMicros
		completed.Completed, completed.FirstCompleteMicros, completed.LastCompleteMicros = 1, since, since
		r.bin(done/binMicros, 0).Add(&completed)
	}
}

// healthy answers in 2 ms.
func healthy(int64) answer { return answer{took: 2 * ms} }

// stall answers nothing from down to back, then all of it.
func stall(down, back int64) func(int64) answer {
	return func(at int64) answer {
		if at >= back || at+2*ms < down {
			return healthy(at)
		}
		return answer{took: max(back-at, 0) + 2*ms}
	}
}

// swallow never answers what it holds at down or gets before back; such operations end at
// their deadline.
func swallow(down, back, timeout int64) func(int64) answer {
	return func(at int64) answer {
		if at >= back || at+2*ms < down {
			return healthy(at)
		}
		return answer{unknown: true, took: timeout}
	}
}
