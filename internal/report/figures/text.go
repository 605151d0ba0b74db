package figures

import (
	"math"
	"strconv"
	"time"
)

// Text is a figure with its unit for people, of four significant digits, or of all before the point. A unit that isn't
// known has none.
func Text(value float64, unit string) string {
	switch unit {
	case Seconds:
		return seconds(value)
	case PerSecond:
		return significant(value) + "/s"
	case Share:
		return significant(value*100) + " %"
	case Records:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return strconv.FormatFloat(value, 'f', 3, 64)
}

func seconds(v float64) string {
	d := time.Duration(math.Round(v * 1e9))
	switch {
	case d < time.Millisecond:
		return significant(v*1e6) + " µs"
	case d < time.Second:
		return significant(v*1e3) + " ms"
	}
	return significant(v) + " s"
}

// significant writes four digits at least, and all of those before the point.
func significant(v float64) string {
	decimals := 3
	for limit := 10.0; math.Abs(v) >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
