package output

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestOneValueInEachFormat(t *testing.T) {
	value := map[string]any{"name": "a", "runs": 3}
	for format, want := range map[string]string{
		"json":  "{\n  \"name\": \"a\",\n  \"runs\": 3\n}\n",
		"yaml":  "name: a\nruns: 3\n",
		"table": "NAME   RUNS\na      -\n",
	} {
		f := NewFlag("markdown")
		if err := f.Set(format); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := f.Print(&out, value, func(w io.Writer) error {
			return Columns(w, []string{"NAME", "RUNS"}, [][]string{{"a", ""}})
		})
		if err != nil || out.String() != want {
			t.Errorf("%s: %q, %v; want %q", format, out.String(), err, want)
		}
	}
}

func TestAnUnknownFormatIsRefusedWithThoseThereAre(t *testing.T) {
	err := NewFlag("markdown").Set("xml")
	if err == nil || !strings.Contains(err.Error(), "table, json, yaml, markdown") {
		t.Errorf("got %v", err)
	}
}

func TestATerminalIsNotObeyedToWhatAValueSays(t *testing.T) {
	evil := "a\x1b]52;c;x\u009bb\u202ec"
	for _, format := range []string{"json", "yaml", "table"} {
		f := NewFlag()
		if err := f.Set(format); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := f.Print(&out, map[string]string{"name": evil}, func(w io.Writer) error {
			return Columns(w, []string{"NAME"}, [][]string{{evil}})
		})
		if err != nil || strings.ContainsAny(out.String(), "\x1b\u009b\u202e") {
			t.Errorf("%s: %q, %v", format, out.String(), err)
		}
	}
}
