// Package printable makes text from pods and stores harmless for a terminal. Such text may hold sequences that move the cursor,
// change the title or hide what stands beside them.
package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
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

// JSON is a JSON document in which strings have no hostile characters, and none without a shape, but as JSON's own escapes. It means
// the same as before. encoding/json escapes those below a space alone, and terminals obey others too.
func JSON(document []byte) []byte {
	return escaped(document, func(r rune) string {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// YAML is a JSON document as YAML in which no such characters are but as escapes. It means the same as before.
func YAML(document []byte) ([]byte, error) {
	long := func(r rune) string { return fmt.Sprintf(`\U%08x`, r) } // YAML has no pairs of surrogates
	// The library reads no control characters, and writes none.
	pretty, err := yaml.JSONToYAML(escaped(document, long))
	if err != nil || bytes.IndexFunc(pretty, disguised) < 0 {
		return pretty, err
	}
	// Others it writes as they are. JSON is YAML too, and in its strings each can be escaped.
	var indented bytes.Buffer
	if err := json.Indent(&indented, document, "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return escaped(indented.Bytes(), long), nil
}

// escaped is the document of JSON with an escape for each disguised character.
func escaped(document []byte, escape func(rune) string) []byte {
	var b strings.Builder
	for _, r := range string(document) {
		if disguised(r) {
			b.WriteString(escape(r))
			continue
		}
		b.WriteRune(r)
	}
	return []byte(b.String())
}

// disguised says that a character in JSON or YAML is hostile, or has no shape of its own and so may hide something. Below 0x7f both
// have escaped what is in strings, and what is between them is a line break.
func disguised(r rune) bool { return r >= 0x7f && (hostile(r) || unicode.Is(unicode.Cf, r)) }

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
