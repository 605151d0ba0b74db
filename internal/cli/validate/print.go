package validate

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/suite"
)

// show prints the results, and notes what was not checked.
func show(e *env.Env, out *output.Flag, results []Result) error {
	if err := out.Print(e.Out, results, func(w io.Writer) error { return table(w, results) }); err != nil {
		return err
	}
	for i := range results {
		if r := &results[i]; r.Skipped != "" {
			note(e, "%s: %s: skipped: %s", r.where(), r.object(), r.Skipped)
		}
	}
	for _, u := range uncheckedOf(results) {
		note(e, "not checked, since only a cluster has it: %s, in %s", u.name, u.in())
	}
	return nil
}

func note(e *env.Env, format string, args ...any) {
	fmt.Fprintln(e.Err, line("Note: "+fmt.Sprintf(format, args...)))
}

// table has a line for each object that is well, and then one for each finding.
func table(to io.Writer, results []Result) error {
	var rows [][]string
	for i := range results {
		r := &results[i]
		if r.OK {
			fmt.Fprintln(to, line(fmt.Sprintf("%s: %s: ok", r.where(), r.object())))
		}
		for _, f := range r.Findings {
			message := suite.Problem{Message: f.Message, Combinations: f.Combinations}.String()
			rows = append(rows, []string{line(r.File), strconv.Itoa(r.Document), line(r.object()), line(f.Field), line(message)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return output.Columns(to, []string{"FILE", "DOCUMENT", "OBJECT", "FIELD", "MESSAGE"}, rows)
}

// where is the file, and which of its documents, if that isn't the first.
func (r *Result) where() string {
	if r.Document < 2 {
		return r.File
	}
	return fmt.Sprintf("%s, document %d", r.File, r.Document)
}

// object is how people call it.
func (r *Result) object() string { return strings.TrimSpace(r.Kind + " " + r.Name) }

// maxLine is how many characters of a text are printed.
const maxLine = 2000

// line is a text of a file for a terminal: one line, without the characters that a terminal obeys.
func line(text string) string {
	characters := []rune(strings.Map(printable, text))
	if len(characters) > maxLine {
		return string(characters[:maxLine]) + "..."
	}
	return string(characters)
}

func printable(c rune) rune {
	switch {
	case unicode.IsSpace(c):
		return ' '
	case !unicode.IsPrint(c):
		return unicode.ReplacementChar
	}
	return c
}
