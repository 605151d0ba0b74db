// Package pace decides when operations are due, and waits for that moment.
//
// An arrival law is pure: the n-th intended time follows from rate, worker and seed, and never from what
// happened before. A pacer never sleeps for a gap. It waits for an instant, and if it wakes up late, all
// operations that have become due in the meantime are due at once.
//
// Every law is defined for a rate of 1, on an axis of operations that are due, and is then mapped to the
// axis of time (package rate). So a rate that changes stretches the gaps and changes nothing else. For
// Poisson processes this is the time-rescaling theorem.
package pace

import (
	"math/rand/v2"
	"time"

	"github.com/kvbench/kvbench/internal/rate"
)

// Law gives the intended times of one worker's operations, ascending, from the start.
type Law interface {
	// Next is the next intended time; rate.Never when there is none.
	Next() time.Duration
}

// NewConstant shares a rate of all workers among them: each sends at every workers-th of
// the instants at which another operation is due, so that together they are regular too.
func NewConstant(r rate.Rate, worker, workers int) Law {
	return &constant{rate: r, next: int64(worker), step: int64(workers)}
}

type constant struct {
	rate       rate.Rate
	next, step int64
}

func (c *constant) Next() time.Duration {
	at := c.rate.When(float64(c.next))
	c.next += c.step
	return at
}

// NewPoisson is a Poisson process with 1/workers of the rate of all workers. Processes with
// seeds of their own add up to one with the whole rate.
func NewPoisson(r rate.Rate, workers int, rng *rand.Rand) Law {
	return &poisson{rate: r, workers: float64(workers), rng: rng}
}

type poisson struct {
	rate    rate.Rate
	workers float64
	due     float64 // of all workers
	rng     *rand.Rand
}

func (p *poisson) Next() time.Duration {
	p.due += p.rng.ExpFloat64() * p.workers
	return p.rate.When(p.due)
}
