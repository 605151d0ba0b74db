// Package printable makes text from pods and stores harmless for a terminal. Such text may hold sequences that move the cursor,
// change the title or hide what stands beside them.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is the text with each control character, each character that turns the direction of writing, and each byte that is not
// UTF-8 written as an escape: \x1b, \u009b. Tabs stay. The result has no line break.
func Line(text string) string {
	if harmless(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && invalidAt(text, i):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !hostile(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// JSON is a JSON document in which strings have no hostile characters but as JSON's own escapes. It means the same as before.
// encoding/json escapes those below a space alone, and terminals obey others too.
func JSON(document []byte) []byte {
	text := string(document)
	var b strings.Builder
	for _, r := range text {
		// Below 0x80 encoding/json has escaped what is in strings, and what is between them is a line break.
		if r >= 0x7f && hostile(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return []byte(b.String())
}

func harmless(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, hostile) < 0
}

func invalidAt(text string, i int) bool {
	_, size := utf8.DecodeRuneInString(text[i:])
	return size == 1
}

// hostile says that a terminal may do something else with the character than show it.
func hostile(r rune) bool {
	switch {
	case r == '\t':
		return false
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c':
		return true // they turn the direction of writing
	}
	return false
}
