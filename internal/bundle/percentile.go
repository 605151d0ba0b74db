package bundle

import "math"

// Rank is which of n values in ascending order, from 1 on, a percentile of them is: the first that,
// with those before it, makes up at least so many percent (nearest rank). There is one rule for all
// figures. It is that of Java's HdrHistogram since 2.1.10 (AbstractHistogram.getValueAtPercentile), down
// to the rounding: just below what was asked for, so that 99.9 % of 1,000 are 999 and not 1,000.
func Rank(percentile float64, n int64) int64 {
	below := min(max(math.Nextafter(percentile, math.Inf(-1)), 0), 100)
	return max(1, int64(math.Ceil(below*float64(n)/100)))
}
