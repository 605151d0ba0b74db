package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Table is the report in short, for a terminal.
func (r *Report) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s: %s, seed %d: %s\n", r.Run.Namespace, r.Run.Name, r.storeLine(), r.Seed, r.verdict())
	for _, reason := range r.InvalidReasons {
		fmt.Fprintf(&b, "  %s: %s\n", reason.Reason, reason.Message)
	}
	for _, reason := range r.NotJudged {
		fmt.Fprintf(&b, "  not judged, %s: %s\n", reason.Reason, reason.Message)
	}
	for _, reason := range r.Remarks {
		fmt.Fprintf(&b, "  remark, %s: workload %s: %s\n", reason.Reason, reason.Workload, reason.Message)
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		fmt.Fprintf(&b, "\nWorkload %s: %s\n", w.Name, w.Load.line())
		if w.Loading != nil {
			fmt.Fprintf(&b, "  loaded    %s\n", w.Loading.line())
			for _, reason := range w.Loading.InvalidReasons {
				fmt.Fprintf(&b, "            %s: %s\n", reason.Reason, reason.Message)
			}
		}
		if w.StartedAt == nil {
			fmt.Fprintf(&b, "  not measured\n")
			continue
		}
		fmt.Fprintf(&b, "  measured  %s\n", w.line())
		if lag := w.Generator.lagLine(); lag != "" {
			fmt.Fprintf(&b, "  generator %s\n", lag)
		}
		rows, which := w.operations()
		rows[0][0] = which
		rows.write(&b, "  ")
		for _, note := range w.notes() {
			fmt.Fprintf(&b, "  %s\n", note)
		}
	}
	if len(r.Faults) > 0 {
		b.WriteString("\n")
		r.faults().write(&b, "  ")
	}
	return b.String()
}

// write aligns the columns: the first to the left, numbers to the right.
func (g grid) write(b *strings.Builder, indent string) {
	widths := make([]int, len(g[0]))
	for _, row := range g {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range g {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < 2 {
				line.WriteString(cell + pad + "  ")
			} else {
				line.WriteString(pad + cell + "  ")
			}
		}
		b.WriteString(indent + strings.TrimRight(line.String(), " ") + "\n")
	}
}
