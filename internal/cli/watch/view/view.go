// Package view draws a frame for a terminal. It is pure: the same frame and size give the same text. What comes from pods, files
// and users is cleaned before it is drawn.
package view

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

// Screen is what is drawn on.
type Screen struct {
	Width, Height int // in columns and lines
	Colours       bool
	// Footer is the last line; "" is none.
	Footer string
}

// Size of a terminal that doesn't tell its own.
const (
	DefaultWidth  = 80
	DefaultHeight = 24
)

// Of draws the frame: lines of at most Width columns, at most Height of them, with a newline between two.
func Of(f *frame.Frame, s Screen) string {
	p := painter(s.Colours)
	lines := head(f, p, s.Width)
	room := s.Height - len(lines)
	if s.Footer != "" {
		room -= 2 // with an empty line before it
	}
	switch {
	case f.Run != nil:
		lines = append(lines, runBody(f, p, s.Width, room)...)
	case f.Suite != nil:
		lines = append(lines, suiteBody(f, p, s.Width, room)...)
	}
	lines = fit(lines, s)
	if s.Footer != "" && s.Height > 0 {
		lines = append(lines, p.in(dim, clean(s.Footer)))
	}
	for i := range lines {
		lines[i] = cut(lines[i], s.Width)
	}
	return strings.Join(lines, "\n")
}

// fit leaves room for the footer. Where there is too little, empty lines go first.
func fit(lines []string, s Screen) []string {
	most := max(0, s.Height)
	if s.Footer != "" {
		lines = append(lines, "")
		most = max(0, most-1)
	}
	if len(lines) > most {
		lines = tight(lines)
	}
	return lines[:min(len(lines), most)]
}

// head says what is watched, and what is wrong with watching it.
func head(f *frame.Frame, p painter, width int) []string {
	words := append(title(f, p), p.in(phaseStyle(f), clean(f.Phase)), span(f.AgeSeconds))
	lines := pack(words, gap, width)
	for _, text := range silences(f) {
		lines = append(lines, notice(text, p, width)...)
	}
	for _, missing := range f.Missing {
		lines = append(lines, notice(clean(missing), p, width)...)
	}
	return lines
}

// mostNoticeLines bounds what one notice takes.
const mostNoticeLines = 3

// notice is a sentence that somebody may have to do something about.
func notice(text string, p painter, width int) []string {
	lines := wrap(text, width, mostNoticeLines)
	for i := range lines {
		lines[i] = p.in(yellow, lines[i])
	}
	return lines
}

// title is what is watched.
func title(f *frame.Frame, p painter) []string {
	words := []string{p.in(bold, fmt.Sprintf("%s %s/%s", clean(f.Kind), clean(f.Namespace), clean(f.Name)))}
	if run := f.Run; run != nil {
		store := strings.TrimSpace(clean(run.Store) + " " + clean(run.Mode))
		words = append(words, fmt.Sprintf("%s, %d %s", store, run.Nodes, plural(run.Nodes, "node", "nodes")))
	}
	return words
}

// silences say which server doesn't answer.
func silences(f *frame.Frame) (lines []string) {
	for _, server := range []struct {
		name   string
		silent *frame.Silence
	}{{"API server", f.Cluster}, {"results server", f.Results}} {
		if server.silent != nil {
			lines = append(lines, fmt.Sprintf("no answer from the %s for %s, it is asked again: %s", server.name, span(server.silent.Seconds), clean(server.silent.Trouble)))
		}
	}
	return lines
}

func phaseStyle(f *frame.Frame) style {
	switch {
	case !f.Ended:
		return cyan
	case f.ExitCode == 0:
		return green
	}
	return red
}
