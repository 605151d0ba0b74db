package logs

const (
	// mostMissed and mostMissedBytes bound the lines that are kept in case a run of theirs becomes known.
	mostMissed      = 1000
	mostMissedBytes = 1 << 20
)

// missed are the last lines of the controller that name nobody who is known. The controller writes of a suite's new run before the
// cluster is looked at again.
type missed struct {
	lines []Line
	bytes int
}

// Add keeps a line, and lets go of the oldest where there are too many.
func (m *missed) Add(line Line) {
	m.lines, m.bytes = append(m.lines, line), m.bytes+len(line.Text)
	for len(m.lines) > mostMissed || m.bytes > mostMissedBytes {
		m.bytes -= len(m.lines[0].Text)
		m.lines[0] = Line{} // its text is freed before the slice moves
		m.lines = m.lines[1:]
	}
}

// Take gives the lines that name one of the subjects, and keeps the others.
func (m *missed) Take(subjects []subject) (about []Line) {
	all := m.lines
	*m = missed{}
	for _, line := range all {
		if known, is := of(line, subjects); is {
			about = append(about, known)
		} else {
			m.Add(line)
		}
	}
	return about
}
