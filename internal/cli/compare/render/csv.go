package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// CSV writes a line for each figure of each pair, and one without a figure for a pair that isn't comparable. Values are in the
// unit of their line; what isn't known is empty.
func CSV(to io.Writer, d *comparison.Document) error {
	w := csv.NewWriter(to)
	lines := [][]string{{"base", "compared", "combination", "outcome", "workload", "operation", "metric", "unit", "base_value", "value", "ratio", "ratio_low", "ratio_high",
		"confidence", "trials", "base_trials", "change", "verdict", "why"}}
	for i := range d.Compared {
		c := &d.Compared[i]
		if len(c.Pairs) == 0 {
			lines = append(lines, line([]string{d.Base.Argument, c.Argument, "", comparison.NotComparable}, c.Why))
		}
		for j := range c.Pairs {
			p := &c.Pairs[j]
			head := []string{d.Base.Argument, c.Argument, labels(p.Combination), p.Outcome}
			if p.Outcome == comparison.NotComparable {
				lines = append(lines, line(head, strings.Join(reasons(p), "; ")))
			}
			for k := range p.Figures {
				f := &p.Figures[k]
				confidence := ""
				if f.Ratio.Confidence != 0 {
					confidence = number(&f.Ratio.Confidence)
				}
				lines = append(lines, append(append([]string{}, head...), f.Workload, f.Operation, f.Metric, f.Unit, number(f.Base.Value), number(f.Value.Value),
					number(f.Ratio.Value), number(f.Ratio.Low), number(f.Ratio.High), confidence, strconv.Itoa(p.Trials), strconv.Itoa(p.BaseTrials),
					f.Change, f.Verdict, f.Why))
			}
		}
	}
	if err := w.WriteAll(lines); err != nil {
		return fmt.Errorf("writing the CSV: %w", err)
	}
	return nil
}

// columnsOfFigures is how many columns are between a line's head and its end, which says why.
const columnsOfFigures = 14

// line is one without a figure.
func line(head []string, why string) []string {
	return append(append(head, make([]string, columnsOfFigures)...), why)
}

func labels(c comparison.Combination) string {
	if len(c) == 0 {
		return ""
	}
	return manifest.NameOf(c)
}

func number(value *float64) string {
	if value == nil {
		return ""
	}
	return strconv.FormatFloat(*value, 'g', -1, 64)
}
