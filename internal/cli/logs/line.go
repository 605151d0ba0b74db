package logs

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"
)

// Role is what wrote a line.
type Role string

// Roles of lines. The plural of the first two is what --of names.
const (
	Member     Role = "member"
	Worker     Role = "worker"
	Observer   Role = "observer"
	Controller Role = "controller"
	Event      Role = "event"
)

// Line is one line of a log, or an event.
type Line struct {
	// Time is of the clock of the node that the container runs on, as its kubelet noted it; of an event it is its reporter's.
	Time time.Time `json:"time"`
	// Run is the name of the run, or of the suite for what the suite itself says.
	Run string `json:"run"`
	// Source is a short name of what wrote the line, such as "member etcd-0".
	Source    string `json:"source"`
	Role      Role   `json:"role"`
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	// Text is as it was written. It may hold anything.
	Text string `json:"line"`
}

// maxLine bounds a line's bytes. The rest of a longer one is left out.
const maxLine = 64 << 10

// cut is at the end of a line that was too long.
const cut = " [...]"

// reader reads the lines of a container's log with their times.
type reader struct {
	lines *bufio.Reader
	like  Line      // all but time and text
	last  time.Time // of the line before
}

// newReader reads what a kubelet writes with timestamps. like has what is the same in all lines.
func newReader(r io.Reader, like Line) *reader {
	return &reader{lines: bufio.NewReaderSize(r, 4096), like: like}
}

// Next is the next line, and io.EOF after the last one. A line that has no time gets the one before it.
func (r *reader) Next() (Line, error) {
	raw, err := readLine(r.lines)
	if err != nil {
		return Line{}, err
	}
	line := r.like
	at, text, ok := splitTime(raw)
	if ok {
		r.last = at
	}
	line.Time, line.Text = r.last, text
	return line, nil
}

// readLine reads one line without its end, and no more of it than maxLine.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine - len(line); len(part) > room {
			part, tooLong = part[:room], true
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) == 0, err != nil && !errors.Is(err, io.EOF):
			return "", err
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if tooLong {
			text += cut
		}
		return text, nil
	}
}

// splitTime parts the time that the kubelet puts before a line. Without one, the text is the whole line.
func splitTime(raw string) (at time.Time, text string, ok bool) {
	stamp, text, has := strings.Cut(raw, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return time.Time{}, raw, false
	}
	if !has {
		text = ""
	}
	return at.UTC(), text, true
}
