package render

import (
	"strings"
	"unicode/utf8"
)

// grid is a table of text; the first row is its head.
type grid [][]string

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

// MarkdownTable writes a table, whose first row is its head.
func MarkdownTable(b *strings.Builder, rows [][]string) { grid(rows).markdown(b) }

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
