// Package render writes a report for people, as Markdown and as text. It reads the report alone, so a report that was
// stored as JSON renders to the same bytes.
package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/values"
	"github.com/kvbench/kvbench/internal/workload"
)

// Markdown is the report for people; report.json has all of it.
func Markdown(r *report.Report) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s/%s\n\n", escape(r.Run.Namespace), escape(r.Run.Name))
	fmt.Fprintf(&b, "%s. Seed %d. UID `%s`.", escape(storeLine(r)), r.Seed, escape(r.Run.UID))
	if r.Kvbench != "" {
		fmt.Fprintf(&b, " kvbench %s.", escape(r.Kvbench))
	}
	fmt.Fprintf(&b, " **%s**\n", verdict(r))
	if settings := values.Settings(&r.Store); len(settings) > 0 {
		fmt.Fprintf(&b, "\nSettings: %s.\n", escape(strings.Join(settings, ", ")))
	}
	if len(r.InvalidReasons) > 0 {
		b.WriteString("\n## Why these numbers may not be believed\n\n")
		for _, reason := range r.InvalidReasons {
			fmt.Fprintf(&b, "- **%s**: %s\n", reason.Reason, escape(reason.Message))
		}
	}
	if len(r.NotJudged) > 0 {
		b.WriteString("\n## What could not be judged\n\n")
		for _, reason := range r.NotJudged {
			fmt.Fprintf(&b, "- **%s**: %s\n", reason.Reason, escape(reason.Message))
		}
	}
	if len(r.Remarks) > 0 {
		b.WriteString("\n## Remarks\n\n")
		for _, reason := range r.Remarks {
			fmt.Fprintf(&b, "- **%s** (workload %s): %s\n", reason.Reason, escape(reason.Workload), escape(reason.Message))
		}
	}
	writeObjectives(&b, r)
	if len(r.Files) > 0 {
		b.WriteString("\n## Files\n\n")
		filesTable(r).markdown(&b)
	}
	if r.Environment != nil && len(r.Environment.Nodes) > 0 {
		b.WriteString("\n## Nodes\n\n")
		nodesTable(r).markdown(&b)
		if ends := endsTable(r); len(ends) > 1 {
			b.WriteString("\nContainers that ended in the run, by a fault or by themselves, at the time of their nodes' clocks:\n\n")
			ends.markdown(&b)
		}
	}
	for i := range r.Workloads {
		writeWorkload(&b, &r.Workloads[i])
	}
	if t := r.Totals; t != nil && len(r.Workloads) > 1 {
		fmt.Fprintf(&b, "\nAll steps took %s: emptying the store %s, loading %s, measuring %s.\n",
			report.Human(t.SumMicros), report.Human(t.ResetMicros), report.Human(t.LoadingMicros), report.Human(t.MeasurementMicros))
	}
	if len(r.Faults) > 0 {
		b.WriteString("\n## Faults\n\n")
		faultsTable(r).markdown(&b)
		b.WriteString("\nInstants count from the measurement's start. The outage lasts from the first operation that was not served " +
			"(failed without an answer, unknown, overdue or never started) until the service is back; ≥ marks one whose end was not seen. " +
			"It is the longest of any kind of operation on any shard.\n")
		writeLasting(&b, r)
		if series := faultSeriesTable(r); len(series) > 1 {
			b.WriteString("\nWhat each fault did to each of them:\n\n")
			series.markdown(&b)
		}
		for i := range r.Faults {
			if few := notResolved(&r.Faults[i]); few != "" {
				fmt.Fprintf(&b, "\n%s.\n", escape(few))
			}
		}
	}
	if len(r.Repairs) > 0 {
		b.WriteString("\n## Repairs\n\n")
		for _, repair := range r.Repairs {
			fmt.Fprintf(&b, "- %s: %s\n", repair.Time, escape(repair.What))
		}
	}
	if r.Clock.BoundMicros != nil {
		fmt.Fprintf(&b, "\nThe clocks agree to %s.\n", report.Human(*r.Clock.BoundMicros))
	}
	return []byte(b.String())
}

func writeWorkload(b *strings.Builder, w *report.Workload) {
	fmt.Fprintf(b, "\n## Workload %s\n\n", escape(w.Name))
	if w.Preset != "" {
		fmt.Fprintf(b, "- YCSB %s; an update writes ", escape(w.Preset))
	} else {
		b.WriteString("- An update writes ")
	}
	if w.Load.UpdateWrites == report.WritesRecord {
		b.WriteString("the whole record\n")
	} else {
		b.WriteString("one field, or as the workload says\n")
	}
	describe(b, w)
	fmt.Fprintf(b, "- Load: %s; operation timeout %s\n", escape(loadLine(&w.Load)), report.Human(w.Load.OperationTimeoutMicros))
	if w.ResetMicros != nil {
		fmt.Fprintf(b, "- Emptied before: in %s\n", report.Human(*w.ResetMicros))
	}
	if w.Loading != nil {
		fmt.Fprintf(b, "- Loading: %s\n", loadingLine(w.Loading))
		for _, reason := range w.Loading.InvalidReasons {
			fmt.Fprintf(b, "  - **%s**: %s\n", reason.Reason, escape(reason.Message))
		}
	}
	if w.StartedAt == nil {
		b.WriteString("- Not measured\n")
		return
	}
	fmt.Fprintf(b, "- Measured from %s: %s\n", *w.StartedAt, workloadLine(w))
	g := &w.Generator
	if lag := lagLine(g); lag != "" {
		fmt.Fprintf(b, "- Generator: %s; %d operations were sent more than %s late, %d waited for a slot, in %d × 10 ms\n",
			lag, g.Late, report.Human(bundle.LateSendMicros), g.Limited, g.LimitedBins)
	}
	if g.Connections != nil {
		fmt.Fprintf(b, "- Generator: %s\n", connectionsLine(g.Connections))
	}
	if g.CoreShare != nil {
		fmt.Fprintf(b, "- Generator: it used or waited for %.0f %% of its cores, in the worker with the most\n", 100**g.CoreShare)
	}
	if g.CoreWaitMicros != nil {
		fmt.Fprintf(b, "- Generator: its threads waited %s in all for cores that others had, and at most %s at a time\n",
			report.Human(*g.CoreWaitMicros), report.Human(*g.CoreWaitMaxMicros))
	}
	rows, which := operationsTable(w)
	fmt.Fprintf(b, "\n%s of each operation:\n\n", strings.ToUpper(which[:1])+which[1:])
	rows.markdown(b)
	if w.Usage != nil {
		writeUsage(b, w.Usage)
	}
	for _, note := range notes(w) {
		fmt.Fprintf(b, "\n%s.\n", strings.ToUpper(note[:1])+note[1:])
	}
	if len(w.Errors) > 0 {
		b.WriteString("\nErrors, warm-up and cool-down included:\n\n")
		rows := grid{{"operation", "outcome", "code", "count", "example"}}
		for _, e := range w.Errors {
			rows = append(rows, []string{e.Operation, e.Outcome, e.Code, fmt.Sprint(e.Count), e.Example})
		}
		rows.markdown(b)
	}
}

// describe says what the workload was. Properties that this program doesn't know stand as they are.
func describe(b *strings.Builder, w *report.Workload) {
	words, err := workload.Describe(w.Properties)
	if err != nil {
		for _, name := range slices.Sorted(maps.Keys(w.Properties)) {
			fmt.Fprintf(b, "- Property %s: %s\n", escape(name), escape(w.Properties[name]))
		}
		return
	}
	if w.Load.Trace == nil {
		fmt.Fprintf(b, "- Operations: %s\n- Keys: %s\n", words.Operations, words.Keys)
	} else {
		b.WriteString("- Operations and keys: those of the trace\n")
	}
	fmt.Fprintf(b, "- Records: %d, each with %s\n", w.Records, escape(words.Record))
	switch {
	case w.InsertCount > 0:
		fmt.Fprintf(b, "- Asked for: %d of them, from number %d on\n", w.InsertCount, w.InsertStart)
	case w.InsertStart > 0:
		fmt.Fprintf(b, "- Asked for: those from number %d on\n", w.InsertStart)
	}
}

// escapes keep text from pods (codes, examples) from being more than text.
var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "`", "'", "[", `\[`, "*", `\*`)

func escape(text string) string { return escapes.Replace(text) }

// Escape lets a text that somebody else wrote be text in Markdown, on one line.
func Escape(text string) string { return escape(text) }
