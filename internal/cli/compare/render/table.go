package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/report"
)

// Table writes the comparison for a terminal. Colours mark the lines of figures that are better or worse, as far as intervals
// or verdicts say so.
func Table(to io.Writer, d *comparison.Document, colours bool) error {
	for i := range d.Compared {
		c := &d.Compared[i]
		if len(c.Pairs) == 0 {
			fmt.Fprintf(to, "%s\n%s: %s\n\n", heading(d, c, nil), comparison.NotComparable, c.Why)
		}
		for j := range c.Pairs {
			if err := tableOf(to, d, c, &c.Pairs[j], colours); err != nil {
				return err
			}
		}
		for _, line := range alone(d, c) {
			fmt.Fprintln(to, line)
		}
	}
	for _, warning := range d.Warnings {
		fmt.Fprintln(to, "Warning:", warning)
	}
	if text := Caution(d); text != "" {
		fmt.Fprintln(to, text)
	}
	_, err := fmt.Fprintln(to, Summary(d))
	return err
}

func tableOf(to io.Writer, d *comparison.Document, c *comparison.Compared, p *comparison.Pair, colours bool) error {
	fmt.Fprintf(to, "%s (%s against %d)\n", heading(d, c, p), plural(p.Trials, "trial"), p.BaseTrials)
	for _, line := range differences(p.Accepted) {
		fmt.Fprintln(to, "  accepted:", line)
	}
	if p.Outcome == comparison.NotComparable {
		return unlike(to, p)
	}
	if len(p.Figures) == 0 {
		_, err := fmt.Fprint(to, "Neither has such a figure.\n\n")
		return err
	}
	figures := make([]*comparison.Figure, len(p.Figures))
	for i := range p.Figures {
		figures[i] = &p.Figures[i]
	}
	table := rows(d, figures, nil)
	for i, title := range table[0] {
		table[0][i] = strings.ToUpper(title)
	}
	var text bytes.Buffer
	if err := output.Columns(&text, table[0], table[1:]); err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimRight(text.String(), "\n"), "\n") {
		if line = strings.TrimRight(line, " "); colours && i > 0 {
			line = coloured(line, figures[i-1])
		}
		fmt.Fprintln(to, line)
	}
	_, err := fmt.Fprintln(to)
	return err
}

// unlike says why two are not comparable, and what to do.
func unlike(to io.Writer, p *comparison.Pair) error {
	text := comparison.NotComparable
	if p.Why != "" {
		text += ": " + p.Why
	}
	fmt.Fprintln(to, text)
	for _, line := range differences(p.Differences) {
		fmt.Fprintln(to, "  "+line)
	}
	if len(p.Differences) > 0 {
		fmt.Fprintln(to, remedy(p.Differences))
	}
	_, err := fmt.Fprintln(to)
	return err
}

// Colours of a terminal.
const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
)

func coloured(line string, f *comparison.Figure) string {
	switch {
	case f.Verdict == report.VerdictFailed || f.Change == comparison.Worse:
		return red + line + plain
	case f.Change == comparison.Better:
		return green + line + plain
	}
	return line
}
