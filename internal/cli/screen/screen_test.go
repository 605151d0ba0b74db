package screen

import (
	"bytes"
	"testing"
	"time"
)

func TestOutsideATerminalALineComesAtEachChangeAndAsASignOfLife(t *testing.T) {
	var out bytes.Buffer
	s := &Screen{out: &out, quiet: 5 * time.Second}
	begin := time.Unix(0, 0)
	for _, p := range []struct {
		second    int
		key, line string
	}{
		{0, "a", "a 0"}, {1, "a", "a 1"}, {4, "a", "a 4"}, {5, "a", "a 5"}, {6, "b", "b 6"}, {7, "b", "b 7"}, {8, "a", "a 8"},
	} {
		s.Progress(begin.Add(time.Duration(p.second)*time.Second), p.key, p.line)
	}
	if got, want := out.String(), "a 0\na 5\nb 6\na 8\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInATerminalOneLineIsRedrawnAndCut(t *testing.T) {
	var out bytes.Buffer
	s := &Screen{out: &out, terminal: true, width: 5}
	s.Progress(time.Unix(0, 0), "a", "abcdefgh")
	s.Say("done")
	if got, want := out.String(), "\rabcd\x1b[K\r\x1b[Kdone\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
