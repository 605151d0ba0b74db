package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/report"
)

// objectivesTable has a row for each figure that an objective bounds.
func objectivesTable(r *report.Report) grid {
	rows := grid{{"objective", "workload", "operation", "figure", "verdict"}}
	for i := range r.Objectives {
		o := &r.Objectives[i]
		for j := range o.Judged {
			judged := &o.Judged[j]
			rows = append(rows, []string{o.Text, judged.Workload, judged.Operation, objective.Found(&o.Objective, judged), judged.Verdict})
		}
	}
	return rows
}

func writeObjectives(b *strings.Builder, r *report.Report) {
	if len(r.Objectives) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Objectives: %s\n\n", r.Verdict)
	objectivesTable(r).markdown(b)
}
