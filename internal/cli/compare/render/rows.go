package render

import (
	"slices"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// rows are a table of figures below its header. combinations has the name of each figure's, or is nil. Columns in which no figure
// has anything are left out.
func rows(d *comparison.Document, all []*comparison.Figure, combinations []string) [][]string {
	table := [][]string{{"combination", "figure", "workload", "base", "new", "ratio", percent(d.Confidence), "change", "verdict", "why"}}
	for i, f := range all {
		combination, why := "", f.Why
		if combinations != nil {
			combination = combinations[i]
		}
		if why == findings.OneTrialEach {
			why = "" // the summary says it of all
		}
		table = append(table, []string{combination, name(f), f.Workload, figure(f.Base, f.Unit), figure(f.Value, f.Unit), figure(f.Ratio, unitRatio), interval(f.Ratio),
			change(f), f.Verdict, why})
	}
	for column := len(table[0]) - 1; column >= 0; column-- {
		if !slices.ContainsFunc(table[1:], func(row []string) bool { return row[column] != "" }) {
			for i := range table {
				table[i] = slices.Delete(table[i], column, column+1)
			}
		}
	}
	return table
}
