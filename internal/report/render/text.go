package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
)

// Table is the report in short, for a terminal.
func Table(r *report.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s: %s, seed %d: %s\n", r.Run.Namespace, r.Run.Name, storeLine(r), r.Seed, verdict(r))
	for _, reason := range r.InvalidReasons {
		fmt.Fprintf(&b, "  %s: %s\n", reason.Reason, reason.Message)
	}
	for _, reason := range r.NotJudged {
		fmt.Fprintf(&b, "  not judged, %s: %s\n", reason.Reason, reason.Message)
	}
	for _, reason := range r.Remarks {
		fmt.Fprintf(&b, "  remark, %s: workload %s: %s\n", reason.Reason, reason.Workload, reason.Message)
	}
	if len(r.Objectives) > 0 {
		fmt.Fprintf(&b, "\nObjectives: %s\n", r.Verdict)
		objectivesTable(r).write(&b, "  ")
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		fmt.Fprintf(&b, "\nWorkload %s: %s\n", w.Name, loadLine(&w.Load))
		if w.ResetMicros != nil {
			fmt.Fprintf(&b, "  emptied   in %s\n", report.Human(*w.ResetMicros))
		}
		if w.Loading != nil {
			fmt.Fprintf(&b, "  loaded    %s\n", loadingLine(w.Loading))
			for _, reason := range w.Loading.InvalidReasons {
				fmt.Fprintf(&b, "            %s: %s\n", reason.Reason, reason.Message)
			}
		}
		if w.StartedAt == nil {
			fmt.Fprintf(&b, "  not measured\n")
			continue
		}
		fmt.Fprintf(&b, "  measured  %s\n", workloadLine(w))
		if lag := lagLine(&w.Generator); lag != "" {
			fmt.Fprintf(&b, "  generator %s\n", lag)
		}
		rows, which := operationsTable(w)
		rows[0][0] = which
		rows.write(&b, "  ")
		for _, note := range notes(w) {
			fmt.Fprintf(&b, "  %s\n", note)
		}
	}
	if len(r.Faults) > 0 {
		b.WriteString("\n")
		faultsTable(r).write(&b, "  ")
		if lasting := lastingTable(r); len(lasting) > 1 {
			b.WriteString("\n")
			lasting.write(&b, "  ")
		}
	}
	return b.String()
}
