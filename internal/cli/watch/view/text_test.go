package view

import (
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

func TestNoTextSteersTheTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                        "plain",
		"two\nlines\tand more":         "two lines and more",
		"\x1b]0;title\x07x":            "]0;title x",
		"\u009b31mred":                 "31mred",
		"over\u202eturned":             "overturned",
		"bad \xff byte":                "bad byte",
		"zero\u200bwidth":              "zerowidth",
		"größer 成":                     "größer 成",
		"\r\n":                         "",
		"two\u2028separators\u2029end": "two separators end",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := Sentence("  fault kill:\x1b[2J"); got != "  fault kill: [2J" {
		t.Errorf("a sentence became %q", got)
	}
}

func TestSparklines(t *testing.T) {
	for _, c := range []struct {
		what   string
		values []int64
		want   string
	}{
		{"nothing", nil, ""},
		{"zeros", []int64{0, 0}, "··"},
		{"one value", []int64{7}, "█"},
		{"in proportion", []int64{1, 2, 4, 8}, "▁▂▄█"},
		{"large counts", []int64{1 << 62, 1 << 61}, "█▄"},
		{"a count below zero", []int64{-5, 1}, "·█"},
		{"hardly anything is not nothing", []int64{1, 1_000_000}, "▁█"},
	} {
		if got := sparkline(c.values); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// What is said of the seconds is of those that are drawn.
func TestTheLastMinuteFitsTheScreen(t *testing.T) {
	values := []int64{5000, 100, 200, 400, 800, 800, 800, 800, 800, 800}
	for width, want := range map[int][]string{
		80: {"last 10 s █▁▁▁▁▁▁▁▁▁  served 100 to 5000   1 error in the last 10 s"},
		40: {"last 10 s █▁▁▁▁▁▁▁▁▁  served 100 to 5000", "1 error in the last 10 s"},
		34: {"last 6 s ██████  served 800 to 800", "1 error in the last 10 s"},
	} {
		figures := &frame.Figures{Recent: values, RecentErrors: 1}
		if got := recentLines(figures, false, width); !slices.Equal(got, want) {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func TestWrapping(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"short", 10, []string{"short"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one two three four five six", 8, []string{"one two", "three", "four fi…"}},
		{"abcdefghijkl", 5, []string{"abcde", "fghij", "kl"}},
		{"成成成", 4, []string{"成成", "成"}},
		{"nothing", 0, nil},
	} {
		if got := wrap(c.text, c.width, 3); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestPacking(t *testing.T) {
	for _, c := range []struct {
		items []string
		width int
		want  []string
	}{
		{nil, 10, nil},
		{[]string{"a", "b", "c"}, 10, []string{"a   b   c"}},
		{[]string{"aaa", "bbb", "c"}, 7, []string{"aaa", "bbb   c"}},
		{[]string{"much too long", "b"}, 5, []string{"much…", "b   "[:1]}},
		{[]string{"成成", "b"}, 8, []string{"成成   b"}},
	} {
		if got := pack(c.items, "   ", c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns: %q, want %q", c.items, c.width, got, c.want)
		}
	}
}
