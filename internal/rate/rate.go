// Package rate has the rates of open loops as functions of time.
//
// It is pure. A rate is defined by its integral: the number of operations that are due since the start.
// The inverse of the integral gives a law of arrivals. The integral itself gives what was intended, for
// judging a run. Neither drifts.
package rate

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

// Rate is the rate of all workers together.
type Rate interface {
	// At is the rate then, in operations/s.
	At(at time.Duration) float64
	// Due is how many operations are due from the start until then.
	Due(at time.Duration) float64
	// When is the last instant until which no more than n are due: the inverse of Due, and
	// the end of a pause where there is one. Never, if no more ever are.
	When(n float64) time.Duration
}

// Never is when what doesn't happen does.
const Never = time.Duration(math.MaxInt64)

// Of is the rate of a plan's load. Its shape counts from the end of the warm-up, in which
// the rate is the one that the shape begins with.
func Of(load *plan.Load) Rate {
	warmup := time.Duration(load.WarmupMillis) * time.Millisecond
	switch shape := load.Shape; {
	case shape == nil:
		return Flat(load.Rate)
	case shape.Sine != nil:
		return delay(newSine(shape.Sine), warmup)
	default:
		return delay(newCurve(shape.Segments), warmup)
	}
}

// Flat is a rate that doesn't change, in operations/s.
type Flat float64

// At implements Rate.
func (f Flat) At(time.Duration) float64 { return float64(f) }

// Due implements Rate.
func (f Flat) Due(at time.Duration) float64 { return float64(f) * at.Seconds() }

// When implements Rate.
func (f Flat) When(n float64) time.Duration { return after(n / float64(f)) }

// after is so many seconds, Never if they are more than a Duration holds.
func after(seconds float64) time.Duration {
	if nanos := seconds * float64(time.Second); nanos < float64(Never) {
		return time.Duration(nanos)
	}
	return Never
}

// delayed is a rate that begins later, and has its first value until then.
type delayed struct {
	Rate
	by    time.Duration
	first Flat
}

func delay(r Rate, by time.Duration) Rate {
	if by == 0 {
		return r
	}
	return delayed{Rate: r, by: by, first: Flat(r.At(0))}
}

func (d delayed) At(at time.Duration) float64 {
	if at < d.by {
		return float64(d.first)
	}
	return d.Rate.At(at - d.by)
}

func (d delayed) Due(at time.Duration) float64 {
	if at < d.by {
		return d.first.Due(at)
	}
	return d.first.Due(d.by) + d.Rate.Due(at-d.by)
}

func (d delayed) When(n float64) time.Duration {
	before := d.first.Due(d.by)
	if n < before {
		return d.first.When(n)
	}
	if later := d.Rate.When(n - before); later < Never-d.by {
		return d.by + later
	}
	return Never
}
