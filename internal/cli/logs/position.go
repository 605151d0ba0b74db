package logs

import "time"

// Position is how far a container's log was read. The API server knows a place in a log by its time alone, and by whole seconds.
// A log that is opened anew there begins with lines that were read already, and a Position knows them again.
//
// The zero value is the start of a log.
type Position struct {
	last  time.Time // of the line that was read last
	same  int       // how many lines of that instant were read, one after the other
	again int       // of those, how many came again since Reopen
	skips bool      // whether lines may still come again
}

// Started says that some line was read.
func (p *Position) Started() bool { return !p.last.IsZero() }

// Since is the time to open the log at.
func (p *Position) Since() time.Time { return p.last.Truncate(time.Second) }

// Reopen says that the log was opened anew at Since.
func (p *Position) Reopen() { p.skips, p.again = p.Started(), 0 }

// Read notes a line's time, and says whether the line is new.
func (p *Position) Read(at time.Time) (isNew bool) {
	if p.skips {
		switch {
		case at.Before(p.last):
			return false
		case at.Equal(p.last):
			p.again++
			p.skips = p.again < p.same
			return false
		}
		p.skips = false // the log no longer has what was read last
	}
	if at.Equal(p.last) {
		p.same++
	} else {
		p.last, p.same = at, 1
	}
	return true
}
