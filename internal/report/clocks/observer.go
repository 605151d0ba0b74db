package clocks

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// maxEstimates bounds what is kept of the observers' clocks: eleven days of an estimate every
// ten seconds. What is beyond is taken together.
const maxEstimates = 100_000

// Observer has the estimates of all observers, as far as a report needs them. A worker makes all of its instants with its
// first estimate; an observer makes each with its newest one.
type Observer struct {
	estimates []estimate
	last      *bundle.Clock // of this process
}

// estimate is the time whose lines were stamped with one estimate, up to the line with the next one. Between two lines
// the clock may have gone back.
type estimate struct {
	from, until instant.Unix
	errNanos    int64 // of an instant
	stepNanos   int64 // from this estimate to the next, see Step
}

// Add takes a line. What was stamped with the estimate before is off by the bounds; if the two
// contradict each other, the clock moved between them, and it is off by that as well.
func (s *Observer) Add(l *bundle.TopologyLine) {
	at := instant.Unix(l.AtUnixNanos)
	if l.Begins {
		s.last = nil
	}
	if s.last != nil {
		s.extend(at)
	}
	if l.Clock == nil {
		return
	}
	now := *l.Clock
	if s.last != nil {
		stamped := &s.estimates[len(s.estimates)-1]
		off := max(now.BoundNanos, s.last.BoundNanos)
		if moved := Abs(now.OffsetNanos - s.last.OffsetNanos); moved > now.BoundNanos+s.last.BoundNanos {
			off += moved
		}
		stamped.errNanos = max(stamped.errNanos, off)
		if step := Step([]bundle.Clock{*s.last, now}); Abs(step) > Abs(stamped.stepNanos) {
			stamped.stepNanos = step
		}
	}
	s.last = &now
	if len(s.estimates) < maxEstimates {
		s.estimates = append(s.estimates, estimate{from: at, until: at, errNanos: now.BoundNanos})
		return
	}
	s.extend(at)
	stamped := &s.estimates[len(s.estimates)-1]
	stamped.errNanos = max(stamped.errNanos, now.BoundNanos)
}

// NextProcess says that the next line is of a process whose clock was not compared yet.
func (s *Observer) NextProcess() { s.last = nil }

// extend lets the last estimate reach to an instant.
func (s *Observer) extend(at instant.Unix) {
	stamped := &s.estimates[len(s.estimates)-1]
	stamped.from, stamped.until = min(stamped.from, at), max(stamped.until, at)
}

// Within is the largest error of an instant, and the largest step, around a workload: from limits.TopologyLead before its
// start until its recorded end. any is false where there was no estimate.
func (s *Observer) Within(c instant.Clock) (errNanos, stepNanos int64, any bool) {
	from, until := c.Start.Plus(-int64(limits.TopologyLead)), c.Unix(c.Recorded)
	for i := range s.estimates {
		stamped := &s.estimates[i]
		if stamped.until < from || stamped.from > until {
			continue
		}
		any, errNanos = true, max(errNanos, stamped.errNanos)
		if Abs(stamped.stepNanos) > Abs(stepNanos) {
			stepNanos = stamped.stepNanos
		}
	}
	return errNanos, stepNanos, any
}
