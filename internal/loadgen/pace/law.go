// Package pace decides when operations are due, and waits for that moment.
//
// The laws are pure: the n-th intended time follows from rate, worker and seed, and never
// from what happened before. Nothing sleeps for a gap: a pacer waits for an instant, and
// when it comes late, all that has become due meanwhile is due at once.
package pace

import (
	"math/rand/v2"
	"time"
)

// Law gives the intended times of one worker's operations, ascending, from the start.
type Law interface {
	// Next is the next intended time.
	Next() time.Duration
}

// NewConstant shares a constant rate (operations/s of all workers) among workers: worker
// i is shifted by i/workers of a worker's period, so that together they are regular too.
func NewConstant(rate float64, worker, workers int) Law {
	return &constant{period: float64(time.Second) / rate, next: int64(worker), step: int64(workers)}
}

type constant struct {
	period     float64 // nanoseconds between the operations of all workers
	next, step int64
}

func (c *constant) Next() time.Duration {
	at := time.Duration(float64(c.next) * c.period)
	c.next += c.step
	return at
}

// NewPoisson is a Poisson process with 1/workers of the rate (operations/s of all
// workers). Processes with seeds of their own add up to one with the whole rate.
func NewPoisson(rate float64, workers int, rng *rand.Rand) Law {
	return &poisson{gap: float64(time.Second) * float64(workers) / rate, rng: rng}
}

type poisson struct {
	gap float64 // mean, in nanoseconds
	at  float64
	rng *rand.Rand
}

func (p *poisson) Next() time.Duration {
	p.at += p.rng.ExpFloat64() * p.gap
	return time.Duration(p.at)
}
