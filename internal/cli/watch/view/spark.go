package view

import (
	"slices"
	"strings"
)

// bars are the heights of a sparkline, the lowest one first.
var bars = []rune("▁▂▃▄▅▆▇█")

// none stands for a second without anything.
const none = '·'

// sparkline draws the values, one in each column, in proportion to the greatest one.
func sparkline(values []int64) string {
	if len(values) == 0 {
		return ""
	}
	most := slices.Max(values)
	var line strings.Builder
	for _, v := range values {
		if v <= 0 {
			line.WriteRune(none)
			continue
		}
		// The division comes first in floating point, for counts may be large.
		height := int(float64(v) / float64(most) * float64(len(bars)))
		line.WriteRune(bars[min(max(height-1, 0), len(bars)-1)])
	}
	return line.String()
}

// bar is how much of a whole is done.
func bar(done, whole int64, width int) string {
	filled := 0
	if whole > 0 {
		filled = int(float64(min(max(done, 0), whole)) / float64(whole) * float64(width))
	}
	return strings.Repeat("█", filled) + strings.Repeat("░", width-filled)
}
