package report

import (
	"math"
	"math/rand/v2"

	"github.com/kvbench/kvbench/internal/bundle"
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
}

const (
	ms  = int64(1000)
	sec = int64(1_000_000)
)

// play is the timeline that the scene's workers record.
func (s scene) play() *timeline {
	t := newTimeline()
	workers := max(1, s.workers)
	for w := range workers {
		own := newTimeline()
		random := rand.New(rand.NewPCG(s.seed, uint64(w)))
		gap := 1e6 * float64(workers) / s.rate
		for at := gap * float64(w) / float64(workers); at < float64(s.duration); {
			record(own, int64(at), s.answer(int64(at)))
			if s.poisson {
				at += -math.Log(1-random.Float64()) * gap
			} else {
				at += gap
			}
		}
		t.absorb(own)
	}
	return t
}

// record is what a worker's recorder does with an operation.
func record(t *timeline, intended int64, a answer) {
	row, done := slot{intended: 1, firstDone: -1}, intended+a.took
	index := intended / binMicros
	switch bucket := bundle.LateBucket(a.took); {
	case a.never:
		row.neverStarted = 1
	case a.absent && bucket == 0:
		row.failed, row.answered, row.firstDone = 1, 1, done-index*binMicros
	case a.failed || a.absent:
		row.failed = 1
	case a.unknown:
		row.unknown = 1
	case bucket == 0:
		row.soon, row.firstDone = 1, done-index*binMicros
	default:
		row.late, row.firstDone = []lateBucket{{bucket, 1}}, done-index*binMicros
	}
	if a.waited {
		row.limited = 1
	}
	t.put(index, &row)
	if row.soon > 0 || row.late != nil {
		since := done % binMicros
		t.put(done/binMicros, &slot{firstDone: -1, completed: 1, firstComplete: since, lastComplete: since})
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
