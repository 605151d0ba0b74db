// Package telemetry has what a worker or a loader measured of itself. A line that no worker can have written is refused,
// so every number in a Worker is one that can be added up.
package telemetry

import (
	"cmp"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
)

// Worker is what a worker or a loader said of itself. A day has 86,400 lines, so its seconds are kept in few bytes, and
// its errors are added up.
type Worker struct {
	Writer  bundle.Writer
	Clocks  []bundle.Clock // in their order
	Seconds []Second
	Sends   instant.BySecond[latency.Sends] // a worker's, of the measurement
	errors  errorCounts
	seen    []errorSeen
	Finish  *bundle.Finish // nil if the file doesn't end with it
}

// Add adds a line, which Check accepted.
func (s *Worker) Add(l *bundle.SelfLine) {
	s.Finish = l.Finish
	if l.Clock != nil {
		s.Clocks = append(s.Clocks, *l.Clock)
	}
	for _, e := range l.Errors {
		s.note(instant.Unix(l.AtUnixNanos), s.errors.add(e), e.Count)
	}
	if l.Second == nil {
		return
	}
	s.Seconds = append(s.Seconds, Second{
		At:              instant.Unix(l.AtUnixNanos),
		LengthMicros:    int32(l.Second.LengthMicros),
		InFlightMax:     int32(l.Second.InFlightMax),
		Limited:         int32(l.Second.Limited),
		queued:          int32(l.Second.Queued),
		Sent:            int32(l.Second.Sent),
		Late:            int32(l.Second.Late),
		GCPauseMicros:   int32(l.Second.GCPauseMicros),
		GCCPUMicros:     int32(l.Second.GCCPUMicros),
		ThrottledMicros: measured(l.Second.ThrottledMicros),

		StoppedMicros:    measured(l.Second.StoppedMicros),
		stoppedAgoMicros: int32(l.Second.StoppedAgoMicros),
		WriteMicros:      int32(l.Second.WriteMicros),
		Cores:            coresOf(l.Second.Cores),
		Connections:      connectionsOf(l.Second.Connections),
		Machine:          machineOf(l.Second),
		Slots:            slots{float32(l.Second.SlotMicros), float32(l.Second.SlotOwnMicros)},
	})
}

// CountErrors adds up the errors of the workers, in the order of the workers.
func CountErrors(workers []*Worker) []report.ErrorCount {
	var sum errorCounts
	for _, worker := range workers {
		for _, e := range worker.errors.counts {
			sum.add(bundle.ErrorSeen(e))
		}
	}
	slices.SortFunc(sum.counts, func(a, b report.ErrorCount) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Code, b.Code))
	})
	if sum.counts == nil {
		return []report.ErrorCount{}
	}
	return sum.counts
}
