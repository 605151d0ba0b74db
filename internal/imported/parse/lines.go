package parse

import (
	"fmt"
	"regexp"
	"strings"
)

// line is one line of an output, without colours and without what a carriage return overwrote.
type line struct {
	number int // from 1
	text   string
	cut    bool // it is the last one, and has no end
}

// colours are what terminals are told about colours.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func linesOf(content []byte) []line {
	texts := strings.Split(string(content), "\n")
	lines := make([]line, len(texts))
	for i, text := range texts {
		text = strings.TrimRight(colours.ReplaceAllString(text, ""), "\r")
		text = text[strings.LastIndexByte(text, '\r')+1:]
		lines[i] = line{number: i + 1, text: text, cut: i == len(texts)-1 && strings.TrimSpace(text) != ""}
	}
	return lines
}

// errorf is an error that names the line.
func (l line) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", l.number, fmt.Errorf(format, args...))
}

// checkEnd refuses a last line that has no end. A figure in it may lack digits.
func checkEnd(lines []line) error {
	if last := lines[len(lines)-1]; last.cut {
		return last.errorf("%.60q has no end of line, so the file may be cut off there; add one if the line is whole", last.text)
	}
	return nil
}

// quoted is a piece of an output in an error.
func quoted(text string) string { return fmt.Sprintf("%.60q", text) }
