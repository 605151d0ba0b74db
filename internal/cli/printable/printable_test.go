package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
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

func TestDocumentsKeepTheirMeaning(t *testing.T) {
	for _, text := range []string{
		"plain: ü 漢 😀", "\x1b[0m \u009b \x7f", "turned \u202e ü", "hidden \u200b \U000e0041 \U0001d173", "two\n\u202elines \u2028", `"quoted" \u202e`,
	} {
		document, err := json.Marshal(map[string]string{"text": text, text: "key"})
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := YAML(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			safe []byte
			read func([]byte, any) error
		}{
			{JSON(document), json.Unmarshal},
			{asYAML, func(document []byte, into any) error { return yaml.UnmarshalStrict(document, into) }},
		} {
			back := map[string]string{}
			if err := c.read(c.safe, &back); err != nil || back["text"] != text || back[text] != "key" {
				t.Errorf("%s: %q, %v", c.safe, back, err)
			}
			if strings.ContainsFunc(string(c.safe), func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }) {
				t.Errorf("%q has characters that a terminal obeys, or that hide something", c.safe)
			}
		}
	}
}

func TestYAMLWithoutSuchCharactersIsAsUsual(t *testing.T) {
	if got, err := YAML([]byte(`{"name": "größe", "runs": 3}`)); err != nil || string(got) != "name: größe\nruns: 3\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := YAML([]byte(`{`)); err == nil {
		t.Error("no error")
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
