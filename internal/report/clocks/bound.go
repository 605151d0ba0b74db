// Package clocks tells how far off an instant may be, by the estimates of the writers' clocks. All of it is arithmetic on
// offsets and bounds in nanoseconds.
package clocks

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// Error is how far instants may be off that were made with the first of a worker's
// estimates. Each estimate allows the true offset to be anywhere within its bound.
//
// While all of them have a range in common, the clock held still as far as anyone can tell,
// and the truth is in that range: a noisy estimate adds nothing. Once two contradict each
// other, the clock moved, and each estimate that another one contradicts counts in full.
func Error(clocks []bundle.Clock) int64 {
	first := clocks[0]
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for _, c := range clocks {
		low, high = max(low, c.OffsetNanos-c.BoundNanos), min(high, c.OffsetNanos+c.BoundNanos)
	}
	if low <= high {
		return max(high-first.OffsetNanos, first.OffsetNanos-low)
	}
	off := first.BoundNanos
	for _, c := range clocks {
		if c.OffsetNanos-c.BoundNanos > high || c.OffsetNanos+c.BoundNanos < low {
			off = max(off, Abs(c.OffsetNanos-first.OffsetNanos)+c.BoundNanos)
		}
	}
	return off
}

// MicrosUp rounds up to microseconds; nil stays nil.
func MicrosUp(nanos *int64) *int64 {
	if nanos == nil {
		return nil
	}
	up := (*nanos + instant.NanosPerMicro - 1) / instant.NanosPerMicro
	return &up
}

// Abs is the absolute value.
func Abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
