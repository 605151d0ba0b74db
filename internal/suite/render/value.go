package render

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/suite/findings"
)

// Units of figures, as findings have them, and of ratios.
const (
	unitSeconds = "s"
	unitRate    = "1/s"
	unitShare   = "1"
	unitRatio   = "ratio"
)

// missing stands for a figure that isn't known.
const missing = "–"

// value is a figure with its unit, of at most four significant digits.
func value(v *float64, unit string) string {
	switch {
	case v == nil:
		return missing
	case unit == unitSeconds:
		return seconds(*v)
	case unit == unitRate:
		return significant(*v) + "/s"
	case unit == unitShare:
		return significant(*v*100) + " %"
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

// median is a median, or the least that it can be.
func median(e findings.Estimate, unit string) string {
	if e.Value == nil && e.AtLeast != nil {
		return "≥ " + value(e.AtLeast, unit)
	}
	return value(e.Value, unit)
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

func interval(e findings.Estimate, unit string) string {
	if e.Confidence == 0 {
		return missing
	}
	return fmt.Sprintf("%s … %s", value(e.Low, unit), value(e.High, unit))
}
