package clocks

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// maxEstimates bounds what is kept of the observers' clocks: eleven days of an estimate every
// ten seconds. What is beyond is taken together.
const maxEstimates = 100_000

// Observer are the estimates of observers, as far as a report needs them. A worker's
// instants are all made with its first estimate, an observer's each with the newest.
type Observer struct {
	estimates []estimate
	last      *bundle.Clock // of this process
}

// estimate is what was stamped with one estimate, up to the line with the next one. Instants
// are Unix nanoseconds, as the lines say; between two lines the clock may have gone back.
type estimate struct {
	from, until int64
	errNanos    int64 // of an instant
	stepNanos   int64 // from this estimate to the next, see clockStep
}

// Add takes a line. What was stamped with the estimate before is off by the bounds; if the two
// contradict each other, the clock moved between them, and it is off by that as well.
func (s *Observer) Add(l *bundle.TopologyLine) {
	if l.Begins {
		s.last = nil
	}
	if s.last != nil {
		s.extend(l.AtUnixNanos)
	}
	if l.Clock == nil {
		return
	}
	now := *l.Clock
	if s.last != nil {
		span := &s.estimates[len(s.estimates)-1]
		off := max(now.BoundNanos, s.last.BoundNanos)
		if moved := Abs(now.OffsetNanos - s.last.OffsetNanos); moved > now.BoundNanos+s.last.BoundNanos {
			off += moved
		}
		span.errNanos = max(span.errNanos, off)
		if step := Step([]bundle.Clock{*s.last, now}); Abs(step) > Abs(span.stepNanos) {
			span.stepNanos = step
		}
	}
	s.last = &now
	if len(s.estimates) < maxEstimates {
		s.estimates = append(s.estimates, estimate{from: l.AtUnixNanos, until: l.AtUnixNanos, errNanos: now.BoundNanos})
		return
	}
	s.extend(l.AtUnixNanos)
	span := &s.estimates[len(s.estimates)-1]
	span.errNanos = max(span.errNanos, now.BoundNanos)
}

// NextProcess says that the next line is of a process whose clock was not compared yet.
func (s *Observer) NextProcess() { s.last = nil }

// extend lets the last span reach to an instant.
func (s *Observer) extend(at int64) {
	span := &s.estimates[len(s.estimates)-1]
	span.from, span.until = min(span.from, at), max(span.until, at)
}

// Within is the largest error of an instant, and the largest step, from just before a workload's
// start, as faults are looked at, until its recorded end; any is false where nobody said.
func (s *Observer) Within(c instant.Clock) (errNanos, stepNanos int64, any bool) {
	from, until := c.StartNanos-int64(limits.TopologyLead), c.StartNanos+c.RecordedMicros*instant.NanosPerMicro
	for i := range s.estimates {
		span := &s.estimates[i]
		if span.until < from || span.from > until {
			continue
		}
		any, errNanos = true, max(errNanos, span.errNanos)
		if Abs(span.stepNanos) > Abs(stepNanos) {
			stepNanos = span.stepNanos
		}
	}
	return errNanos, stepNanos, any
}
