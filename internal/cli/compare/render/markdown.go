package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Markdown writes the comparison for a pull request: what was found in a sentence, and then a table of the figures for each that
// is compared, the worst first.
func Markdown(d *comparison.Document) string {
	var b strings.Builder
	text := render.Escape(Summary(d))
	if d.Verdict != "" {
		text = "**" + d.Verdict + "**" + strings.TrimPrefix(text, d.Verdict)
	}
	b.WriteString(text + "\n")
	for i := range d.Compared {
		markdownOf(&b, d, &d.Compared[i])
	}
	items(&b, "**Warning**: ", d.Warnings)
	if text := Caution(d); text != "" {
		b.WriteString("\n" + text + "\n")
	}
	return b.String()
}

func markdownOf(b *strings.Builder, d *comparison.Document, c *comparison.Compared) {
	fmt.Fprintf(b, "\n### %s\n", render.Escape(heading(d, c, nil)))
	if len(c.Pairs) == 0 {
		fmt.Fprintf(b, "\n**%s**: %s\n", comparison.NotComparable, render.Escape(c.Why))
	}
	var figures []*comparison.Figure
	names := map[*comparison.Figure]string{}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		items(b, "Accepted"+with(p)+": ", differences(p.Accepted))
		if p.Outcome == comparison.NotComparable {
			items(b, "**"+comparison.NotComparable+"**"+with(p)+": ", reasons(p))
		}
		for j := range p.Figures {
			figures = append(figures, &p.Figures[j])
			if len(p.Combination) > 0 {
				names[&p.Figures[j]] = manifest.NameOf(p.Combination)
			}
		}
	}
	slices.SortStableFunc(figures, comparison.CompareFigures)
	if len(figures) > 0 {
		combinations := make([]string, len(figures))
		for i, f := range figures {
			combinations[i] = names[f]
		}
		b.WriteString("\n")
		render.MarkdownTable(b, rows(d, figures, combinations))
	}
	items(b, "", alone(d, c))
}

// with names the combination of a pair, in Markdown.
func with(p *comparison.Pair) string {
	if len(p.Combination) == 0 {
		return ""
	}
	return " with " + render.Escape(manifest.NameOf(p.Combination))
}

// items are a list.
func items(b *strings.Builder, prefix string, lines []string) {
	if len(lines) > 0 {
		b.WriteString("\n")
	}
	for _, line := range lines {
		b.WriteString("- " + prefix + render.Escape(line) + "\n")
	}
}
