package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/workload"
)

// Markdown is the report for people; report.json has all of it.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s/%s\n\n", escape(r.Run.Namespace), escape(r.Run.Name))
	fmt.Fprintf(&b, "%s. Seed %d. UID `%s`. **%s**\n", escape(r.storeLine()), r.Seed, escape(r.Run.UID), r.verdict())
	if settings := r.Store.settings(); len(settings) > 0 {
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
	if len(r.Files) > 0 {
		b.WriteString("\n## Files\n\n")
		r.files().markdown(&b)
	}
	for i := range r.Workloads {
		r.Workloads[i].markdown(&b)
	}
	if len(r.Faults) > 0 {
		b.WriteString("\n## Faults\n\n")
		r.faults().markdown(&b)
		b.WriteString("\nInstants count from the measurement's start. The outage lasts from the first operation that was not served " +
			"(failed without an answer, unknown, overdue or never started) until the service is back; ≥ marks one whose end was not seen. " +
			"It is the longest of any kind of operation on any shard.\n")
		if series := r.faultSeries(); len(series) > 1 {
			b.WriteString("\nWhat each fault did to each of them:\n\n")
			series.markdown(&b)
		}
		for i := range r.Faults {
			if few := r.Faults[i].notResolved(); few != "" {
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
		fmt.Fprintf(&b, "\nThe clocks agree to %s.\n", human(*r.Clock.BoundMicros))
	}
	return []byte(b.String())
}

func (w *Workload) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Workload %s\n\n", escape(w.Name))
	if w.Preset != "" {
		fmt.Fprintf(b, "- YCSB %s; an update writes ", escape(w.Preset))
	} else {
		b.WriteString("- An update writes ")
	}
	if w.Load.UpdateWrites == WritesRecord {
		b.WriteString("the whole record\n")
	} else {
		b.WriteString("one field, or as the workload says\n")
	}
	w.describe(b)
	fmt.Fprintf(b, "- Load: %s; operation timeout %s\n", escape(w.Load.line()), human(w.Load.OperationTimeoutMicros))
	if w.Loading != nil {
		fmt.Fprintf(b, "- Loading: %s\n", w.Loading.line())
		for _, reason := range w.Loading.InvalidReasons {
			fmt.Fprintf(b, "  - **%s**: %s\n", reason.Reason, escape(reason.Message))
		}
	}
	if w.StartedAt == nil {
		b.WriteString("- Not measured\n")
		return
	}
	fmt.Fprintf(b, "- Measured from %s: %s\n", *w.StartedAt, w.line())
	g := &w.Generator
	if lag := g.lagLine(); lag != "" {
		fmt.Fprintf(b, "- Generator: %s; %d operations were sent more than %s late, %d waited for a slot, in %d × 10 ms\n",
			lag, g.Late, human(bundle.LateSendMicros), g.Limited, g.LimitedBins)
	}
	if g.Connections != nil {
		fmt.Fprintf(b, "- Generator: %s\n", g.Connections.line())
	}
	if g.CoreShare != nil {
		fmt.Fprintf(b, "- Generator: it used or waited for %.0f %% of its cores, in the worker with the most\n", 100**g.CoreShare)
	}
	if g.CoreWaitMicros != nil {
		fmt.Fprintf(b, "- Generator: its threads waited %s in all for cores that others had, and at most %s at a time\n",
			human(*g.CoreWaitMicros), human(*g.CoreWaitMaxMicros))
	}
	rows, which := w.operations()
	fmt.Fprintf(b, "\n%s of each operation:\n\n", strings.ToUpper(which[:1])+which[1:])
	rows.markdown(b)
	if w.Usage != nil {
		w.Usage.markdown(b)
	}
	for _, note := range w.notes() {
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
func (w *Workload) describe(b *strings.Builder) {
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
}

func (g grid) markdown(b *strings.Builder) {
	for i, row := range g {
		b.WriteString("|")
		for _, cell := range row {
			b.WriteString(" " + escape(cell) + " |")
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("-|", len(row)) + "\n")
		}
	}
}

// escape keeps text from pods (codes, examples) from being more than text.
var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "`", "'", "[", `\[`, "*", `\*`)

func escape(text string) string { return escapes.Replace(text) }
