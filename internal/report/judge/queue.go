package judge

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// queue is what a worker's operations waited for when they waited for a slot or for a place on a connection.
type queue struct {
	micros, ownMicros float64 // for how long the slots were busy, and for how long with the generator's own work
	waited, sent      int64   // operations
	own               badSeconds

	seconds     int64      // in which operations waited
	notTold     int64      // those of them in which nobody knows whether the generator had cores to spare
	crowded     int64      // operations that waited in seconds in which the generator had no cores to spare
	noneToSpare badSeconds // these seconds

	wantedMicros, usableMicros int64 // of cores, in all seconds in which they are known
}

// add adds n seconds from that one on.
func (q *queue) add(second instant.Second, n int64, s *telemetry.Second) {
	q.micros += float64(s.Slots.Micros)
	q.ownMicros += float64(s.Slots.OwnMicros)
	if tooMuchOwn(float64(s.Slots.Micros), float64(s.Slots.OwnMicros)) {
		q.own.look(second, n, 1, 0)
	}
	if wanted, usable, ok := s.Wanted(); ok {
		q.wantedMicros += wanted
		q.usableMicros += usable
	}
	q.sent += int64(s.Sent)
	waited := s.Waited()
	if waited == 0 {
		return
	}
	q.waited += waited
	q.seconds += n
	switch capacityOf(s) {
	case notTold:
		q.notTold += n
	case noneToSpare:
		q.crowded += waited
		q.noneToSpare.look(second, n, 1, 0)
	}
}

// coreShare is the share of its cores that the worker used or waited for; nil if it isn't known.
func (q *queue) coreShare() *float64 {
	if q.usableMicros == 0 {
		return nil
	}
	return rounded(float64(q.wantedMicros) / float64(q.usableMicros))
}

func tooMuchOwn(micros, ownMicros float64) bool { return ownMicros > limits.MaxOwnOfSlots*micros }

func (q *queue) judge(worker int, say sayer) {
	if float64(q.waited) >= limits.MinWaited*float64(q.sent) && tooMuchOwn(q.micros, q.ownMicros) {
		say(report.GeneratorLag, q.own.seconds, "of the time for which operations waited for a slot, or a place on a connection, of worker %d, %.0f %% was the generator's own work between operations; at most %.0f %% is allowed",
			worker, 100*q.ownMicros/q.micros, 100*limits.MaxOwnOfSlots)
	}
	if float64(q.crowded) > limits.MinWaited*float64(q.sent) {
		say(report.GeneratorSaturated, q.noneToSpare.seconds, "in %d of the %d seconds in which operations of worker %d waited for a slot, or a place on a connection, it had less than %.0f %% of its cores to spare: they may have waited for it, and not for the store; give it more CPU, or cores of its own, or lower the rate",
			q.noneToSpare.count, q.seconds, worker, 100*(1-limits.MaxCoreShare))
	}
}
