package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWhatATerminalObeysIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, ü and 漢": "plain text, ü and 漢",
		"a\tb":                "a\tb",
		"red \x1b[31m":        `red \x1b[31m`,
		"one\r\ntwo":          `one\x0d\x0atwo`,
		"\x00\x07\x7f":        `\x00\x07\x7f`,
		"C1 \u009b2J":         `C1 \u009b2J`,
		"not UTF-8 \xff\x9b":  `not UTF-8 \xff\x9b`,
		"turned \u202egnp":    `turned \u202egnp`,
		"a real \ufffd stays": "a real \ufffd stays",
		"line \u2028 break":   `line \u2028 break`,
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestJSONKeepsItsMeaning(t *testing.T) {
	text := "\x1b[0m \u009b \u202e ü \x7f"
	document, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	safe := JSON(document)
	var back string
	if err := json.Unmarshal(safe, &back); err != nil || back != text {
		t.Errorf("%s: %q, %v", safe, back, err)
	}
	if strings.ContainsFunc(string(safe), hostile) {
		t.Errorf("%q has hostile characters", safe)
	}
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "\x1b]0;title\x07", "\xc2", "\u009b", "\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Line(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
			t.Errorf("%q: %q", text, got)
		}
		if Line(got) != got {
			t.Errorf("%q: what is printable changes again", got)
		}
	})
}
