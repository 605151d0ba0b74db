package render

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
)

func TestTheThroughputForEachGibibyteIsShownWhereItIsKnown(t *testing.T) {
	known := 1200.0
	for want, value := range map[string]*float64{"": nil, "1200": &known} {
		var text strings.Builder
		writeUsage(&text, &report.Usage{OperationsPerWorkingSetGibibyteSecond: value})
		if shown := strings.Contains(text.String(), want+" operations/s for each GiB of working set"); shown != (value != nil) {
			t.Errorf("shown is %t in\n%s", shown, text.String())
		}
	}
}
