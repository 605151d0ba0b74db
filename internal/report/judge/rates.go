package judge

import (
	"time"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// rates counts the operations of the seconds that are judged: those outside fault windows in which no operation waited
// in the worker's queue. It adds up all workers.
type rates struct {
	runs   int64 // of judged seconds of one worker without a break between them
	micros int64 // the length of all seconds

	planned        float64
	intended, sent int64
}

// each is what the plan wanted, what was intended and what was sent, in operations/s over all workers. ok is false if no
// second is judged.
func (r *rates) each(workers int) (planned, intended, sent float64, ok bool) {
	if r.micros == 0 || workers == 0 {
		return 0, 0, 0, false
	}
	seconds := float64(r.micros) / 1e6 / float64(workers)
	return r.planned / seconds, float64(r.intended) / seconds, float64(r.sent) / seconds, true
}

// worker adds the seconds of a worker. due is how many operations the plan wants of it until a time from the workload's
// start. From until on it has none to intend.
func (r *rates) worker(clock instant.Clock, w *telemetry.Worker, due func(sinceStart time.Duration) float64, until instant.Unix, judged func(instant.Second) bool) {
	until = min(until, clock.Unix(clock.Recorded))
	judging := false
	for at := clock.FirstSecond(); at <= clock.LastSecond(); at++ {
		begin := clock.RowBegin(at)
		from, to := max(begin, clock.Start), min(begin.Plus(instant.NanosPerSecond), until)
		before := judging
		if judging = from < to && clock.Phase(at) == report.PhaseMeasurement && judged(at); !judging {
			continue
		}
		if !before {
			r.runs++
		}
		s := w.Sends.Find(at)
		r.micros += to.Since(from) / instant.NanosPerMicro
		r.planned += due(time.Duration(to.Since(clock.Start))) - due(time.Duration(from.Since(clock.Start)))
		r.intended += int64(s.Intended)
		r.sent += int64(s.InTime)
	}
}
