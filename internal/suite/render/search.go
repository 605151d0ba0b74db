package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// writeSearch writes the highest rates that were found.
func writeSearch(b *strings.Builder, s *findings.Search) {
	if s == nil {
		return
	}
	then := "One run tried each rate; then those that were found were measured in all trials."
	if s.UnderWay {
		then = "One run tries each rate. The search is under way: these are the rates that were tried so far."
	}
	fmt.Fprintf(b, "\n## Search\n\nThe highest rate with %s, and the lowest above it without. %s\n\n", render.Escape(strings.Join(s.Objectives, " and ")), then)
	rows := [][]string{{"combination", "holds", "kept in", "misses", "kept in", "rates tried", "why it ended early"}}
	for i := range s.Found {
		f := &s.Found[i]
		var tried []string
		for _, t := range f.Tried {
			word := "missed"
			if t.Kept {
				word = "kept"
			}
			tried = append(tried, fmt.Sprintf("%d %s", t.Rate, word))
		}
		row := []string{manifest.NameOf(f.With)}
		row = append(row, point(f.Holds)...)
		row = append(row, point(f.Misses)...)
		rows = append(rows, append(row, strings.Join(tried, ", "), f.Why))
	}
	render.MarkdownTable(b, rows)
	if len(s.Ratios) == 0 {
		return
	}
	b.WriteString("\nBy which factor the highest rate differs, if each is between the two that were found. A bound that isn't known is " + missing + ".\n\n")
	rows = [][]string{{"compared", "with", "at least", "at most"}}
	for i := range s.Ratios {
		r := &s.Ratios[i]
		with := ""
		if len(r.With) > 0 {
			with = manifest.NameOf(r.With)
		}
		rows = append(rows, []string{fmt.Sprintf("%s=%s / %s", r.Axis, r.Value, r.Against), with, value(r.Low, unitRatio), value(r.High, unitRatio)})
	}
	render.MarkdownTable(b, rows)
}

// point is a rate, and in how many of its trials the objectives were kept.
func point(rate *findings.FoundRate) []string {
	if rate == nil {
		return []string{missing, missing}
	}
	return []string{fmt.Sprintf("%d/s", rate.Rate), fmt.Sprintf("%d of %d trials", rate.Kept, rate.Kept+rate.Missed+rate.Unknown)}
}
