package logs

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// at is so many milliseconds after an instant.
func at(millis int) time.Time {
	return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC).Add(time.Duration(millis) * time.Millisecond)
}

func stamp(millis int) string { return at(millis).Format(time.RFC3339Nano) }

// all reads a stream to its end.
func all(t *testing.T, s Stream) (lines []Line) {
	t.Helper()
	for {
		line, err := s.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}

func texts(lines []Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "|")
}

func TestAReaderPartsTimesAndTexts(t *testing.T) {
	log := stamp(1) + " one two\n" + "without a time\n" + stamp(5) + " \n" + stamp(6) + " windows\r\n" + stamp(7) + " no end"
	lines := all(t, newReader(strings.NewReader(log), Line{Pod: "p"}))
	if got := texts(lines); got != "one two|without a time||windows|no end" {
		t.Errorf("texts %q", got)
	}
	for i, want := range []int{1, 1, 5, 6, 7} {
		if !lines[i].Time.Equal(at(want)) || lines[i].Pod != "p" {
			t.Errorf("line %d is %+v, want the time %s", i, lines[i], at(want))
		}
	}
}

func TestALineThatIsTooLongIsCut(t *testing.T) {
	log := stamp(1) + " " + strings.Repeat("x", 3*maxLine) + "\n" + stamp(2) + " next\n"
	lines := all(t, newReader(strings.NewReader(log), Line{}))
	if len(lines) != 2 || lines[1].Text != "next" {
		t.Fatalf("%d lines, the last one %q", len(lines), lines[len(lines)-1].Text)
	}
	if got := lines[0].Text; len(got) > maxLine+len(cut) || !strings.HasSuffix(got, "x"+cut) {
		t.Errorf("%d bytes that end in %q", len(got), got[len(got)-10:])
	}
}

func TestABrokenStreamIsNoEnd(t *testing.T) {
	broken := errors.New("connection reset")
	r := newReader(io.MultiReader(strings.NewReader(stamp(1)+" one\n"), failing{broken}), Line{})
	if line, err := r.Next(); err != nil || line.Text != "one" {
		t.Fatalf("%q, %v", line.Text, err)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzReader(f *testing.F) {
	f.Add([]byte("2026-05-04T03:02:01.5Z a line\n"))
	f.Add([]byte("\n\n\r\n2026-05-04T03:02:01.5Z"))
	f.Fuzz(func(t *testing.T, log []byte) {
		r := newReader(strings.NewReader(string(log)), Line{})
		for count := 0; ; count++ {
			line, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				return
			}
			if strings.Contains(line.Text, "\n") || len(line.Text) > maxLine+len(cut) || count > len(log) {
				t.Fatalf("line %d of %d bytes: %q", count, len(log), line.Text)
			}
		}
	})
}
