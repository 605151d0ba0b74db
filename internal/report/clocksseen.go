package report

import "github.com/kvbench/kvbench/internal/bundle"

// maxClockSpans bounds what is kept of the observers' clocks: eleven days of an estimate every
// ten seconds. What is beyond is taken together.
const maxClockSpans = 100_000

// clocksSeen are the estimates of observers, as far as a report needs them. A worker's
// instants are all made with its first estimate, an observer's each with the newest.
type clocksSeen struct {
	spans []clockSpan
	last  *bundle.Clock // of this process
}

// clockSpan is what was stamped with one estimate, up to the line with the next one. Instants
// are Unix nanoseconds, as the lines say; between two lines the clock may have gone back.
type clockSpan struct {
	from, until int64
	errNanos    int64 // of an instant
	stepNanos   int64 // from this estimate to the next, see clockStep
}

// add takes a line. What was stamped with the estimate before is off by the bounds; if the two
// contradict each other, the clock moved between them, and it is off by that as well.
func (s *clocksSeen) add(l *bundle.TopologyLine) {
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
		span := &s.spans[len(s.spans)-1]
		off := max(now.BoundNanos, s.last.BoundNanos)
		if moved := abs(now.OffsetNanos - s.last.OffsetNanos); moved > now.BoundNanos+s.last.BoundNanos {
			off += moved
		}
		span.errNanos = max(span.errNanos, off)
		if step := clockStep([]bundle.Clock{*s.last, now}); abs(step) > abs(span.stepNanos) {
			span.stepNanos = step
		}
	}
	s.last = &now
	if len(s.spans) < maxClockSpans {
		s.spans = append(s.spans, clockSpan{from: l.AtUnixNanos, until: l.AtUnixNanos, errNanos: now.BoundNanos})
		return
	}
	s.extend(l.AtUnixNanos)
	span := &s.spans[len(s.spans)-1]
	span.errNanos = max(span.errNanos, now.BoundNanos)
}

// extend lets the last span reach to an instant.
func (s *clocksSeen) extend(at int64) {
	span := &s.spans[len(s.spans)-1]
	span.from, span.until = min(span.from, at), max(span.until, at)
}

// within is the largest error of an instant, and the largest step, from just before a workload's
// start, as faults are looked at, until its recorded end; any is false where nobody said.
func (s *clocksSeen) within(c workloadClock) (errNanos, stepNanos int64, any bool) {
	from, until := c.startNanos-int64(topologyLead), c.startNanos+c.recordedMicros*micro
	for i := range s.spans {
		span := &s.spans[i]
		if span.until < from || span.from > until {
			continue
		}
		any, errNanos = true, max(errNanos, span.errNanos)
		if abs(span.stepNanos) > abs(stepNanos) {
			stepNanos = span.stepNanos
		}
	}
	return errNanos, stepNanos, any
}
