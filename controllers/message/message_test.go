package message

import (
	"strings"
	"testing"
)

func TestATextIsCutAtOneEndAndHasNoControlCharacters(t *testing.T) {
	long := strings.Repeat("a", 20) + strings.Repeat("ä", 10) // of 40 bytes
	for _, c := range []struct{ text, head, tail string }{
		{"short\x1b[2J\n", "short\ufffd[2J ", "short\ufffd[2J "},
		{long, strings.Repeat("a", 20) + "äää...", "..." + "aaaaaa" + strings.Repeat("ä", 10)},
	} {
		if got := Cut(c.text, 29); got != c.head {
			t.Errorf("%q, want %q", got, c.head)
		}
		if got := CutHead(c.text, 29); got != c.tail {
			t.Errorf("%q, want %q", got, c.tail)
		}
	}
	if got := CutHead(long, 16); got != "..."+strings.Repeat("ä", 6) {
		t.Errorf("%q begins with half a letter", got)
	}
}
