package report

import (
	"errors"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// sends are the operations that a worker intended in a second, and how many of them it had sent, or had
// begun to wait with for the store, maxLagMicros later. Both are by intended time, so the end of a second
// takes no operation from either.
type sends struct{ intended, inTime uint32 }

// add adds a row of lags: each operation that was intended has one.
func (s *sends) add(h *hdr.PackedHistogram) error {
	late := int64(0)
	if h.Max() > maxLagMicros {
		for value, count := range h.ForEachBucket {
			if value > maxLagMicros {
				late += count
			}
		}
	}
	if !plus(&s.intended, h.TotalCount()) || !plus(&s.inTime, h.TotalCount()-late) {
		return errors.New("a second has more sends than there can be")
	}
	return nil
}

// rowBegin is when the row of the logs begins that is taken for a second, as secondOf does.
func (c workloadClock) rowBegin(of int64) int64 {
	return -floorDiv(second/2-c.measurementNanos()-of*second, second) * second
}

// rates are the operations of the seconds, of all workers, outside fault windows in which none waited in
// the worker's queue.
type rates struct {
	runs   int64 // of seconds that follow one another without a break, each of one worker
	micros int64 // the length of all

	planned        float64
	intended, sent int64
}

// each is in operations/s over all workers: what the plan wanted, what was intended and what was sent.
// ok is false when there is nothing to judge.
func (r *rates) each(workers int) (planned, intended, sent float64, ok bool) {
	if r.micros == 0 || workers == 0 {
		return 0, 0, 0, false
	}
	seconds := float64(r.micros) / 1e6 / float64(workers)
	return r.planned / seconds, float64(r.intended) / seconds, float64(r.sent) / seconds, true
}

// worker adds the seconds of one. due is how many operations the plan wants of it until a time from the
// workload's start; until is when it has none to intend any more, in Unix nanoseconds.
func (r *rates) worker(clock workloadClock, w *selfOf, due func(sinceStart int64) float64, until int64, judged func(second int64) bool) {
	until = min(until, clock.startNanos+clock.recordedMicros*micro)
	judging := false
	for at := clock.secondOfMicros(0); at <= clock.lastSecond(); at++ {
		begin := clock.rowBegin(at)
		from, to := max(begin, clock.startNanos), min(begin+second, until)
		before := judging
		if judging = from < to && clock.phase(at) == PhaseMeasurement && judged(at); !judging {
			continue
		}
		if !before {
			r.runs++
		}
		s := w.sends.find(at)
		r.micros += (to - from) / micro
		r.planned += due(to-clock.startNanos) - due(from-clock.startNanos)
		r.intended += int64(s.intended)
		r.sent += int64(s.inTime)
	}
}
