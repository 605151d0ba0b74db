package instant

import (
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Unix is an instant on the results server's clock, in nanoseconds since 1970.
type Unix int64

// Plus is so many nanoseconds later.
func (u Unix) Plus(nanos int64) Unix { return u + Unix(nanos) }

// Since is how much later it is than the other, in nanoseconds.
func (u Unix) Since(other Unix) (nanos int64) { return int64(u - other) }

// FullSecond is the last full second that isn't later.
func (u Unix) FullSecond() Unix { return Unix(floorDiv(int64(u), NanosPerSecond) * NanosPerSecond) }

// RFC3339 is in UTC, with microseconds.
func (u Unix) RFC3339() string {
	return time.Unix(0, int64(u)).UTC().Format("2006-01-02T15:04:05.000000Z")
}

// FromStart is an instant in microseconds from a workload's start, which is the begin of its warm-up.
type FromStart int64

// Plus is so many microseconds later.
func (f FromStart) Plus(micros int64) FromStart { return f + FromStart(micros) }

// Since is how much later it is than the other, in microseconds.
func (f FromStart) Since(other FromStart) (micros int64) { return int64(f - other) }

// Bin is the one that has the instant.
func (f FromStart) Bin() Bin { return Bin(floorDiv(int64(f), binMicros)) }

// NextBin is the first bin that begins at the instant or later.
func (f FromStart) NextBin() Bin { return (f + binMicros - 1).Bin() }

// Bin is the index of a bin of 10 ms, from a workload's start.
type Bin int64

// Begin of the bin.
func (b Bin) Begin() FromStart { return FromStart(b) * binMicros }

// Bins is how many full bins so many microseconds are.
func Bins(micros int64) Bin { return Bin(micros / binMicros) }

// Second is the index of a second of a workload, from the measurement's start, which is the end of the warm-up. It is
// negative in the warm-up.
type Second int64

const (
	binMicros = bundle.BinMillis * 1000

	// NanosPerSecond and NanosPerMicro convert durations.
	NanosPerSecond = 1_000_000_000
	NanosPerMicro  = 1000

	microsPerSecond = 1_000_000
)

// floorDiv rounds down, also what is negative. The divisor is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
