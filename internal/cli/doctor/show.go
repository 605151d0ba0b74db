package doctor

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/printable"
)

// colourOf are SGR parameters (ECMA-48, 8.3.117).
var colourOf = map[Severity]string{OK: "32", Warning: "33", Problem: "31", Unknown: "36"}

// show prints a line for each finding, and below it why it matters and how to mend it, unless the finding before says the same.
func show(to io.Writer, findings []Finding, colours bool) error {
	checks, places := 0, 0
	for _, f := range findings {
		checks, places = max(checks, len(f.Check)), max(places, utf8.RuneCountInString(clean(f.Where)))
	}
	var text strings.Builder
	said := map[string]string{}
	for _, f := range findings {
		severity := padded(string(f.Severity), len(Unknown))
		if colours {
			severity = "\x1b[" + colourOf[f.Severity] + "m" + severity + "\x1b[0m"
		}
		fmt.Fprintf(&text, "%s  %s  %s  %s\n", severity, padded(f.Check, checks), padded(clean(f.Where), places), clean(f.What))
		for _, below := range []struct{ word, text string }{{"why: ", f.Why}, {"mend:", f.Mend}} {
			if below.text != "" && below.text != said[below.word] {
				fmt.Fprintf(&text, "%s  %s %s\n", strings.Repeat(" ", len(Unknown)), below.word, clean(below.text))
			}
			said[below.word] = below.text
		}
	}
	_, err := io.WriteString(to, text.String())
	return err
}

// clean is a text that no terminal obeys, on one line.
func clean(text string) string { return printable.Line(strings.ReplaceAll(text, "\t", " ")) }

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// verdict is the error with which the command ends: of problems, or else of checks that had no answer, or nil.
func verdict(findings []Finding) error {
	var problems, unanswered []string
	for _, f := range findings {
		switch {
		case f.Severity == Problem && !slices.Contains(problems, f.Check):
			problems = append(problems, f.Check)
		case f.Severity == Unknown && !f.untold && !slices.Contains(unanswered, f.Check):
			unanswered = append(unanswered, f.Check)
		}
	}
	switch {
	case len(problems) > 0:
		return exit.With(exit.Failed, errors.New("there are problems: "+strings.Join(problems, ", ")))
	case len(unanswered) > 0:
		return exit.With(exit.Unknown, errors.New("no problem was found, and not all could be looked at: "+strings.Join(unanswered, ", ")))
	}
	return nil
}
