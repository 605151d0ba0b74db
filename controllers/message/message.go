// Package message makes the texts of conditions and events: short, on one line, and the same each time
// for the same cause.
package message

import (
	"regexp"
	"strings"
	"unicode"
)

// Excerpt is a part of a text that somebody else wrote, of 500 bytes at most.
func Excerpt(text string) string { return Cut(StableText(text), 500) }

// FirstOf is the first text that isn't empty.
func FirstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// Because is the end of a sentence that says why: ": " and the cause, or nothing where there is none.
func Because(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}

// addresses are those of connections, which differ each time. A message with one would change the
// status, which brings another pass at once, for ever.
var addresses = regexp.MustCompile(`\S+:\d+->`)

// Stable is an error's text for a condition: the same for the same error.
func Stable(err error) string { return StableText(err.Error()) }

// StableText is the text without the addresses of connections, of 800 bytes at most.
func StableText(text string) string { return Cut(addresses.ReplaceAllString(text, ""), 800) }

// Cut is a text for a status or an event: one line of so many bytes. Errors repeat what
// somebody else wrote, and people read it in terminals, which obey control characters.
func Cut(text string, limit int) string {
	text = strings.Map(printable, text)
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-3], "") + "..."
}

// CutHead is Cut, and leaves out the begin of the text, not its end.
func CutHead(text string, limit int) string {
	text = strings.Map(printable, text)
	if len(text) <= limit {
		return text
	}
	return "..." + strings.ToValidUTF8(text[len(text)-limit+3:], "")
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

// List is the names with commas between them, and dots for those beyond the first so many.
func List(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
