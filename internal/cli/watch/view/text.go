package view

import (
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// clean makes text of pods, files and users one line that can't steer a terminal. Control characters become spaces, and so do
// invalid bytes. Characters that have no shape of their own, such as those that turn the direction of writing around, are dropped.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// Sentence is the text as clean has it, with the blanks that it begins with.
func Sentence(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, " "))] + clean(text)
}

// widthOf is how many columns of a terminal the text takes.
func widthOf(text string) int { return ansi.StringWidth(text) }

// cut bounds the text to so many columns.
func cut(text string, width int) string { return ansi.Truncate(text, max(0, width), "…") }

// pad is the text in just so many columns.
func pad(text string, width int) string {
	text = cut(text, width)
	return text + strings.Repeat(" ", max(0, width-widthOf(text)))
}

// wrap breaks the text into so many lines at most.
func wrap(text string, width, most int) []string {
	if width < 1 {
		return nil
	}
	lines := strings.Split(ansi.Wrap(text, width, ""), "\n")
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most-1:most-1], cut(strings.Join(lines[most-1:], " "), width))
}

// pack puts the items into lines of so many columns, with a gap between two items.
func pack(items []string, gap string, width int) (lines []string) {
	line := ""
	for _, item := range items {
		item = cut(item, width)
		switch {
		case line == "":
			line = item
		case widthOf(line)+widthOf(gap)+widthOf(item) <= width:
			line += gap + item
		default:
			lines, line = append(lines, line), item
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// gap is between two things in one line.
const gap = "   "

// span is a time in seconds, as people say it.
func span(seconds int64) string { return (time.Duration(seconds) * time.Second).String() }

// plural is one thing, or several.
func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
