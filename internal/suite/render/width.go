package render

import (
	"fmt"
	"strconv"

	"github.com/kvbench/kvbench/internal/suite/findings"
)

// percent writes a part of 1, such as 95 % or 98.75 %.
func percent(part float64) string { return strconv.FormatFloat(100*part, 'g', 5, 64) + " %" }

func until(w *findings.Width) string {
	figure := w.Metric
	if w.Operation != "" {
		figure += " of " + w.Operation
	}
	return fmt.Sprintf("each interval of %s was within %s of its middle", figure, percent(w.HalfWidth))
}

func found(w *findings.Width) string {
	if w.Widest == nil {
		return fmt.Sprintf("After %d blocks one of them has no end yet, or there is none.", w.Blocks)
	}
	return fmt.Sprintf("After %d blocks the widest is within %.3g %%: %s.", w.Blocks, 100**w.Widest, w.Of)
}
