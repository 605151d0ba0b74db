package render

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/suite/findings"
)

// CSV has a line for each figure of each valid trial: the block, the combination's value on each axis, what the figure is, and
// its value. The same report gives the same bytes.
func CSV(r *findings.Report) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	head := []string{"block"}
	for _, axis := range r.Axes {
		head = append(head, axis.Name)
	}
	if err := w.Write(append(head, "workload", "operation", "fault", "metric", "time", "unit", "value", "censored")); err != nil {
		return "", fmt.Errorf("writing the CSV: %w", err)
	}
	for _, c := range r.Combinations {
		for _, m := range c.Metrics {
			for _, v := range m.Values {
				line := []string{strconv.Itoa(v.Block + 1)}
				for _, label := range c.Labels {
					line = append(line, label.Value)
				}
				line = append(line, m.Workload, m.Operation, m.Fault, m.Metric, m.Time, m.Unit, strconv.FormatFloat(v.Value, 'g', -1, 64), strconv.FormatBool(v.Censored))
				if err := w.Write(line); err != nil {
					return "", fmt.Errorf("writing the CSV: %w", err)
				}
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return "", fmt.Errorf("writing the CSV: %w", err)
	}
	return b.String(), nil
}
