package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

func TestFramesAreLinesOfJSONAndDocumentsOfYAML(t *testing.T) {
	f := fed(answerOf(after(1), runWith("u"))).frame()
	for _, format := range []output.Format{output.JSON, output.YAML} {
		var out bytes.Buffer
		w := &writer{out: &out, format: format}
		for range 2 {
			if err := w.write(f); err != nil {
				t.Fatal(err)
			}
		}
		var parts []string
		unmarshal := func(part string, into any) error { return json.Unmarshal([]byte(part), into) }
		if format == output.YAML {
			parts = strings.Split(out.String(), "---\n")[1:]
			unmarshal = func(part string, into any) error { return yaml.UnmarshalStrict([]byte(part), into) }
		} else {
			parts = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		}
		if len(parts) != 2 {
			t.Fatalf("%s: %d parts of two frames:\n%s", format, len(parts), out.String())
		}
		for _, part := range parts {
			var read frame.Frame
			if err := unmarshal(part, &read); err != nil || read.UID != "u" || read.Run == nil || read.Run.Workload != "a" {
				t.Errorf("%s: %v: %+v", format, err, read)
			}
		}
	}
}

func TestLinesAreOfChangesAlone(t *testing.T) {
	var out bytes.Buffer
	w := &writer{out: &out, format: output.Table}
	for _, m := range []model{fed(answerOf(after(1), runWith("u"))), fed(answerOf(after(1), runWith("u")), after(2)), fed(answerOf(after(3), runWith("u", "Complete", "Valid")))} {
		if err := w.write(m.frame()); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(out.String(), "\n"); got == 0 || strings.Count(out.String(), "run default/r") != 1 {
		t.Errorf("%d lines:\n%s", got, out.String())
	}
	before := out.Len()
	if err := w.write(w.last); err != nil || out.Len() != before {
		t.Errorf("%v: the same frame again has lines:\n%s", err, out.String()[before:])
	}
}

func TestDocumentsSteerNoTerminal(t *testing.T) {
	f := &frame.Frame{Missing: []string{"esc \x1b[2J csi \u009b2J del \x7f turned \u202e hidden \U000e0041 größer 成"}}
	for format, unmarshal := range map[output.Format]func([]byte, any) error{
		output.JSON: json.Unmarshal, output.YAML: func(document []byte, into any) error { return yaml.UnmarshalStrict(document, into) },
	} {
		var out bytes.Buffer
		if err := (&writer{out: &out, format: format}).write(f); err != nil {
			t.Fatal(err)
		}
		steers := func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }
		if strings.ContainsFunc(out.String(), steers) || !strings.Contains(out.String(), "größer 成") {
			t.Errorf("%s: %q", format, out.String())
		}
		var read frame.Frame
		if err := unmarshal(out.Bytes(), &read); err != nil || read.Missing[0] != f.Missing[0] {
			t.Errorf("%s: %v: %q", format, err, read.Missing)
		}
	}
}

// full is a disk or a pipe that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAnOutputThatTakesNothingIsAnError(t *testing.T) {
	for _, format := range []output.Format{output.Table, output.JSON, output.YAML} {
		if err := (&writer{out: full{}, format: format}).write(fed().frame()); err == nil {
			t.Errorf("%s: no error", format)
		}
	}
}

func TestPausesGrowWhileAServerIsSilent(t *testing.T) {
	broken := errors.New("connection refused")
	var pauses []time.Duration
	last := time.Second
	for _, err := range []error{nil, broken, broken, broken, broken, broken, nil, broken} {
		last = pauseAfter(err, last, time.Second)
		pauses = append(pauses, last/time.Second)
	}
	if want := []time.Duration{1, 2, 4, 8, 10, 10, 1, 2}; !slices.Equal(pauses, want) {
		t.Errorf("%d, want %d", pauses, want)
	}
	if got := pauseAfter(broken, 20*time.Second, 20*time.Second); got != 20*time.Second {
		t.Errorf("%s is shorter than usual", got)
	}
}
