package render

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// unitRatio is of what has no unit.
const unitRatio = "ratio"

// missing stands for a figure that isn't known.
const missing = "–"

// value is a figure with its unit.
func value(v *float64, unit string) string {
	if v == nil {
		return missing
	}
	return figures.Text(*v, unit)
}

// median is a median, or the least that it can be.
func median(e findings.Estimate, unit string) string {
	if e.Value == nil && e.AtLeast != nil {
		return "≥ " + value(e.AtLeast, unit)
	}
	return value(e.Value, unit)
}

func interval(e findings.Estimate, unit string) string {
	if e.Confidence == 0 {
		return missing
	}
	return fmt.Sprintf("%s … %s", value(e.Low, unit), value(e.High, unit))
}
