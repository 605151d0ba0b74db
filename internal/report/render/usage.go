package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
)

// writeUsage writes a table of the members, with their sum.
func writeUsage(b *strings.Builder, u *report.Usage) {
	b.WriteString("\nWhat the members used, as they and their nodes' kubelets told:\n\n")
	rows := grid{{"member", "cores", "told by", "resident at most", "working set at most", "data at most", "volume at most", "collector", "cores seen for"}}
	for i := range u.Members {
		m := &u.Members[i]
		name := m.Member
		if m.Restarted {
			name += " (restarted)"
		}
		rows = append(rows, []string{
			name, optional(m.Cores, "%.2f", 1), m.CoresFrom, optional(mebibytes(m.ResidentMaxBytes), "%.0f MiB", 1),
			optional(mebibytes(m.WorkingSetMaxBytes), "%.0f MiB", 1),
			optional(mebibytes(m.DataMaxBytes), "%.0f MiB", 1), optional(mebibytes(m.VolumeMaxBytes), "%.0f MiB", 1), optional(m.CollectorShare, "%.2f %%", 100), report.Human(m.CoveredMicros),
		})
	}
	rows = append(rows, []string{
		"all", optional(u.Cores, "%.2f", 1), "", optional(mebibytes(u.ResidentMaxBytes), "%.0f MiB", 1),
		optional(mebibytes(u.WorkingSetMaxBytes), "%.0f MiB", 1),
		optional(mebibytes(u.DataMaxBytes), "%.0f MiB", 1), optional(mebibytes(u.VolumeMaxBytes), "%.0f MiB", 1), "", "",
	})
	rows.markdown(b)
	if u.OperationsPerCoreSecond != nil {
		fmt.Fprintf(b, "\n%s operations/s for each core in use.\n", number(*u.OperationsPerCoreSecond))
	}
	if u.OperationsPerWorkingSetGibibyteSecond != nil {
		fmt.Fprintf(b, "\n%s operations/s for each GiB of working set.\n", number(*u.OperationsPerWorkingSetGibibyteSecond))
	}
}

func mebibytes(bytes *int64) *float64 {
	if bytes == nil {
		return nil
	}
	size := float64(*bytes) / (1 << 20)
	return &size
}

// optional is empty if there is no value.
func optional(value *float64, format string, scale float64) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf(format, *value*scale)
}
