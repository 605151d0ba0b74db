package judge

import (
	"math"
	"time"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// badSeconds counts the seconds that are beyond a limit.
type badSeconds struct {
	seconds []instant.Second
	count   int64
	sum     int64 // of the values of all seconds, micros
}

// look judges n seconds, of which one value is known.
func (b *badSeconds) look(second instant.Second, n, value, limit int64) {
	if value <= n*limit {
		return
	}
	b.count += n
	for ; n > 0 && len(b.seconds) < report.MaxReasonSeconds; n-- {
		if last := len(b.seconds) - 1; last < 0 || b.seconds[last] < second {
			b.seconds = append(b.seconds, second)
		}
		second++
	}
}

// tooMuch says whether the values of all seconds add up to more than may be lost of a measurement.
func (b *badSeconds) tooMuch(measuredMicros int64) bool { return b.sum > maxLostOf(measuredMicros) }

// maxLostOf is how much of a measurement may be lost. Both are in microseconds.
func maxLostOf(measuredMicros int64) int64 {
	return max(limits.LostFloorMicros, int64(limits.MaxLost*float64(measuredMicros)))
}

// tooMany says whether more of n seconds are beyond the limit than may be.
func (b *badSeconds) tooMany(n int64) bool { return b.count > exceptions(n) }

// exceptions is how many of n seconds may be beyond a limit.
func exceptions(n int64) int64 {
	return max(limits.BadSecondsFloor, int64(math.Floor(limits.MaxBadSeconds*float64(n))))
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func rounded(rate float64) *float64 {
	rate = math.Round(rate*1000) / 1000
	return &rate
}
