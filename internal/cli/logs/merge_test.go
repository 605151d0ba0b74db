package logs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func line(millis int, text string) Line { return Line{Time: at(millis), Text: text} }

func merged(t *testing.T, streams ...Stream) (lines []Line, failures []string) {
	t.Helper()
	err := Merge(streams, func(l Line) error { lines = append(lines, l); return nil },
		func(i int, err error) { failures = append(failures, fmt.Sprintf("%d: %v", i, err)) })
	if err != nil {
		t.Fatal(err)
	}
	return lines, failures
}

func TestStreamsAreMergedByTime(t *testing.T) {
	for name, c := range map[string]struct {
		streams []Stream
		want    string
	}{
		"none":                           {nil, ""},
		"an empty one":                   {[]Stream{&listed{}, &listed{[]Line{line(1, "a")}}}, "a"},
		"interleaved":                    {[]Stream{&listed{[]Line{line(1, "a"), line(4, "d")}}, &listed{[]Line{line(2, "b"), line(3, "c")}}}, "a|b|c|d"},
		"one instant":                    {[]Stream{&listed{[]Line{line(1, "a"), line(1, "b")}}, &listed{[]Line{line(1, "c")}}}, "a|b|c"},
		"a stream whose clock went back": {[]Stream{&listed{[]Line{line(5, "a"), line(2, "b")}}, &listed{[]Line{line(3, "x"), line(6, "y")}}}, "x|a|b|y"},
	} {
		t.Run(name, func(t *testing.T) {
			lines, failures := merged(t, c.streams...)
			if got := texts(lines); got != c.want || failures != nil {
				t.Errorf("got %q, %v; want %q", got, failures, c.want)
			}
		})
	}
}

func TestManyStreamsGiveWhatSortingGives(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var streams []Stream
	var want []Line
	for range 20 {
		var lines []Line
		for range random.IntN(50) {
			lines = append(lines, line(random.IntN(1000), ""))
		}
		byTime(lines)
		want = append(want, lines...)
		streams = append(streams, &listed{lines})
	}
	byTime(want)
	if got, _ := merged(t, streams...); !slices.EqualFunc(got, want, func(a, b Line) bool { return a.Time.Equal(b.Time) }) {
		t.Errorf("%d lines are not the %d in their order", len(got), len(want))
	}
}

func TestABrokenStreamLeavesTheOthers(t *testing.T) {
	lines, failures := merged(t, &broken{listed{[]Line{line(1, "a")}}}, &listed{[]Line{line(2, "b"), line(3, "c")}})
	if got := texts(lines); got != "a|b|c" || !slices.Equal(failures, []string{"0: broken"}) {
		t.Errorf("got %q, %q", got, failures)
	}
}

func TestAnErrorOfTheReceiverEndsAll(t *testing.T) {
	full := errors.New("the disk is full")
	err := Merge([]Stream{&listed{[]Line{line(1, "a"), line(2, "b")}}}, func(Line) error { return full }, nil)
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// broken breaks where a stream would end.
type broken struct{ listed }

func (b *broken) Next() (Line, error) {
	if len(b.lines) == 0 {
		return Line{}, errors.New("broken")
	}
	return b.listed.Next()
}

func TestTheLastLinesOfAStream(t *testing.T) {
	three := []Line{line(1, "a"), line(2, "b"), line(3, "c")}
	for n, want := range map[int64]string{0: "", 1: "c", 2: "b|c", 3: "a|b|c", 9: "a|b|c"} {
		if got := texts(all(t, &lastOf{from: &listed{slices.Clone(three)}, n: n})); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestAWindowPutsLateLinesInOrder(t *testing.T) {
	w := window{hold: time.Second, most: 3, mostBytes: 100}
	w.Add(line(20, "b"), at(0))
	w.Add(line(10, "a"), at(900))
	if got := texts(w.Due(at(999))); got != "" {
		t.Errorf("too early: %q", got)
	}
	if got := texts(w.Due(at(1900))); got != "a|b" {
		t.Errorf("got %q", got)
	}
	for i, text := range []string{"f", "e", "d", "c"} {
		w.Add(line(100-i, text), at(2000))
	}
	if got := texts(w.Due(at(2000))); got != "c" {
		t.Errorf("more than it may hold: %q", got)
	}
	w.Add(line(200, strings.Repeat("x", 98)), at(2000))
	if got := texts(w.Due(at(2000))); got != "d" {
		t.Errorf("more bytes than it may hold: %q", got)
	}
	if got := w.Due(at(9999)); len(got) != 3 || w.bytes != 0 {
		t.Errorf("%d lines at last, and %d bytes are left", len(got), w.bytes)
	}
}
