package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
)

// verdict in one line.
func verdict(r *report.Report) string {
	if r.Valid {
		return "valid"
	}
	return verdictOf(r.InvalidReasons)
}

func verdictOf(reasons []report.Reason) string {
	if len(reasons) == 1 {
		return "NOT VALID"
	}
	return fmt.Sprintf("NOT VALID, for %d reasons", len(reasons))
}

// number drops a decimal of 0.
func number(n float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
}
