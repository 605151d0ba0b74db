package measurements

import (
	"fmt"
	"strconv"

	"github.com/kvbench/kvbench/internal/workload"
)

// formatValue writes the value of an entry as Java does.
func formatValue(value any) string {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return javaDouble(v)
	case bool:
		return strconv.FormatBool(v)
	}
	panic(fmt.Sprintf("a value of %T", value))
}

// appendText appends what YCSB's TextMeasurementsExporter writes.
func appendText(dst []byte, entries []entry) []byte {
	for _, e := range entries {
		dst = fmt.Appendf(dst, "[%s], %s, %s\n", e.metric, e.measurement, formatValue(e.value))
	}
	return dst
}

// Text is the output of YCSB's TextMeasurementsExporter.
func (f *Figures) Text(c *workload.Client) []byte { return appendText(nil, f.entries(c)) }
