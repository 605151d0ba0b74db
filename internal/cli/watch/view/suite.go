package view

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

// leastMatrix is how many lines the matrix has where there is hardly room.
const leastMatrix = 5

// suiteBody is a suite below its head. The matrix has the lines that the rest leaves of room.
func suiteBody(f *frame.Frame, p painter, width, room int) []string {
	suite := f.Suite
	lines := pack(counts(suite), gap, width)
	if suite.Waiting != "" && !f.Ended {
		lines = append(lines, notice(clean(suite.Waiting), p, width)...)
	}
	run := underWayLines(suite.Run, p, width)
	if len(suite.Rows) > 0 {
		lines = append(lines, "")
		lines = append(lines, matrixLines(suite, p, width, max(leastMatrix, room-len(lines)-len(run)))...)
	}
	return append(lines, run...)
}

func counts(s *frame.Suite) []string {
	words := []string{fmt.Sprintf("%d of %d trials done", s.Done, s.Total), fmt.Sprintf("%d left", s.Left)}
	if s.TimeLeft != "" {
		words = append(words, "about "+clean(s.TimeLeft)+" to go")
	}
	for _, count := range []struct {
		n    int
		text string
	}{{s.Unusable, "not valid"}, {s.Repeated, "made again"}, {s.Adopted, "from an earlier suite"}} {
		if count.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", count.n, count.text))
		}
	}
	return words
}

// underWayLines are the run under way, with its newest second.
func underWayLines(run *frame.Run, p painter, width int) []string {
	if run == nil {
		return nil
	}
	words := []string{"run " + clean(run.Name), p.in(cyan, clean(run.Phase))}
	lines := append([]string{""}, pack(words, gap, width)...)
	if run.Load == nil && run.Waiting != "" {
		lines = append(lines, notice(clean(run.Waiting), p, width)...)
	}
	return append(lines, loadLines(run, p, width)...)
}

// letters are what a cell shows of a trial.
var letters = map[frame.CellState]struct {
	letter string
	style  style
}{
	frame.TrialWaiting:  {".", dim},
	frame.TrialRunning:  {">", cyan},
	frame.TrialMeasured: {"+", cyan},
	frame.TrialValid:    {"v", green},
	frame.TrialNotValid: {"x", red},
}

// words are what the letters mean.
var words = map[frame.CellState]string{
	frame.TrialWaiting:  "waiting",
	frame.TrialRunning:  "running",
	frame.TrialMeasured: "measured",
	frame.TrialValid:    "valid",
	frame.TrialNotValid: "not valid",
}

// legend explains the letters.
func legend(width int) []string {
	var items []string
	for _, state := range []frame.CellState{frame.TrialWaiting, frame.TrialRunning, frame.TrialMeasured, frame.TrialValid, frame.TrialNotValid} {
		items = append(items, letters[state].letter+" "+words[state])
	}
	return pack(append(items, "r made again"), gap, width)
}

// matrixLines are a header, the rows and the legend, in room lines. Of more rows, and of more blocks, it shows those around the
// trial that is running, or else the first rows and the last blocks with a run.
func matrixLines(s *frame.Suite, p painter, width, room int) []string {
	row, block := focus(s)
	cellWidth := max(3, len(fmt.Sprint(s.Blocks))+1)
	nameWidth := len("combination")
	for _, r := range s.Rows {
		nameWidth = max(nameWidth, widthOf(clean(r.Combination)))
	}
	// The names have half of the width, and more if the blocks leave it.
	nameWidth = min(nameWidth, max(width/2, width-2-s.Blocks*cellWidth))
	columns := max(1, (width-2-nameWidth)/cellWidth)
	first, last := window(s.Blocks, columns, block)
	header := pad("combination", nameWidth) + "  "
	for b := first; b < last; b++ {
		header += pad(fmt.Sprint(b+1), cellWidth)
	}
	lines := []string{p.in(dim, strings.TrimRight(header, " "))}
	explained := legend(width)
	rows := max(1, room-1-len(explained))
	from, to := window(len(s.Rows), rows, row)
	if to-from < len(s.Rows) && rows > 1 { // a line says how many are not shown
		from, to = window(len(s.Rows), rows-1, row)
	}
	for _, r := range s.Rows[from:to] {
		lines = append(lines, rowLine(&r, first, last, nameWidth, cellWidth, p))
	}
	if hidden := len(s.Rows) - (to - from); hidden > 0 {
		lines = append(lines, p.in(dim, fmt.Sprintf("… %d more %s", hidden, plural(hidden, "combination", "combinations"))))
	}
	for _, line := range explained {
		lines = append(lines, p.in(dim, line))
	}
	return lines
}

func rowLine(r *frame.Row, first, last, nameWidth, cellWidth int, p painter) string {
	line := pad(clean(r.Combination), nameWidth) + "  "
	for _, cell := range r.Cells[min(first, len(r.Cells)):min(last, len(r.Cells))] {
		shown := letters[cell.State]
		line += p.in(shown.style, shown.letter)
		used := 1
		if cell.Repeats > 0 {
			line += p.in(yellow, "r")
			used++
		}
		line += strings.Repeat(" ", cellWidth-used)
	}
	return strings.TrimRight(line, " ")
}

// focus is the place of the trial that is running, or else the first row and the last block that has a run.
func focus(s *frame.Suite) (row, block int) {
	for r := range s.Rows {
		for b, cell := range s.Rows[r].Cells {
			switch {
			case cell.State == frame.TrialRunning:
				return r, b
			case cell.Run != "":
				block = max(block, b)
			}
		}
	}
	return 0, block
}

// window is which of so many things fit into the room, with one of them in it.
func window(all, room, one int) (from, to int) {
	if all <= room {
		return 0, all
	}
	from = min(max(0, one-room/2), all-room)
	return from, from + room
}
