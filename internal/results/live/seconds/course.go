package seconds

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/results/live"
)

const (
	// mostChunk is how much of one file is read at a time, in bytes. A line is shorter.
	mostChunk = 512 << 10
	// mostAhead is for how many seconds a file is read before those of which others have not told yet.
	mostAhead = 30
	// mostWaited is for how many seconds a worker may send nothing, while others do, until their seconds are told without it.
	mostWaited = 120
	// mostTold bounds the seconds that one step tells.
	mostTold = 60
	// mostEarly is how many seconds a worker's clock may be ahead.
	mostEarly = 10
	// allPending bounds the rows of all workers of seconds that aren't told yet, in bytes, unless that were less than leastPending of each.
	allPending, leastPending = 64 << 20, 1 << 20
	// lookedFor is for how long what an observer saw is told. It writes two lines each second.
	lookedFor = 3
)

// Workload is one that was started.
type Workload = live.Workload

// Read gives what a file has from an offset on, in mostChunk bytes at most.
type Read func(name string, offset int64, most int) ([]byte, error)

// Course is a workload, second by second.
type Course struct {
	of        Workload
	clock     instant.Clock
	from      int64 // the first Unix second that is told
	next      int64 // the Unix second that is told next
	until     int64 // the last Unix second that there can be
	workers   map[bundle.Writer]*worker
	observers map[string]*observer
	told      *Members // the last ones
	decoder   *hlog.Reader
}

// observer is what one has sent.
type observer struct {
	file  file
	lines []seen // of seconds that aren't told yet, and the one before
}

type seen struct {
	second  int64
	members Members
}

// New begins a workload. Seconds before from, in Unix seconds, are not told.
func New(of Workload, from int64) *Course {
	start := instant.Unix(of.Start.UnixNano())
	return &Course{
		of: of, from: from, next: of.Start.Unix(), workers: map[bundle.Writer]*worker{}, observers: map[string]*observer{},
		clock:   instant.Clock{Start: start, Begin: instant.FromStart(of.WarmupMillis * 1000)},
		decoder: hlog.NewReader(bytes.NewReader(nil)),
	}
}

// Step reads on in files whose seconds are due, and returns the seconds that all workers have told now. more says that there is more to
// read at once. names are those of all files of the run, and of their end marks. now is the server's clock: what is of later seconds
// breaks its file.
func (c *Course) Step(names []string, read Read, now time.Time) (told []Second, more bool, err error) {
	c.until = now.Unix() + mostEarly
	ended := map[string]bool{}
	for _, name := range names {
		ended[name] = true
	}
	for _, name := range names {
		again, err := c.readOn(name, ended[bundle.EndFile(name)], read)
		if err != nil {
			return nil, false, err
		}
		more = more || again
	}
	before := c.next
	for len(told) < mostTold && c.due() {
		told = c.tellNext(told)
	}
	// What was told makes room for what follows.
	return told, more || c.next > before, nil
}

// Rest are the seconds that some workers have told, and others never will.
func (c *Course) Rest() (told []Second) {
	for len(told) < mostWaited+mostAhead && c.next <= c.last() {
		told = c.tellNext(told)
	}
	return told
}

func (c *Course) tellNext(told []Second) []Second {
	second := c.next
	c.next++
	if second >= c.from {
		told = append(told, c.tell(second))
	}
	for _, w := range c.workers {
		w.forget(second)
	}
	return told
}

// last is the newest second that any worker has told anything of.
func (c *Course) last() int64 {
	last := int64(-1)
	for _, w := range c.workers {
		last = max(last, w.last())
	}
	return last
}

// Over says that all workers have ended, and all their seconds are told.
func (c *Course) Over() bool {
	for _, w := range c.workers {
		if !w.log.ended || !w.self.ended || w.last() >= c.next {
			return false
		}
	}
	return len(c.workers) >= c.of.Workers
}

// due says that the next second can be told.
func (c *Course) due() bool {
	whole, last := int64(never), c.last()
	for _, w := range c.workers {
		whole = min(whole, w.whole())
	}
	if len(c.workers) < c.of.Workers {
		whole = -1
	}
	return c.next <= last && (c.next <= whole || c.next < last-mostWaited)
}

// readOn reads a file on, if it is one whose seconds are due.
func (c *Course) readOn(name string, ended bool, read Read) (more bool, err error) {
	w, kind, ok := bundle.ParseFile(name)
	switch {
	case !ok:
		return false, nil
	case w.Role == bundle.RoleObserver:
		of := c.observers[name]
		if of == nil {
			of = &observer{}
			c.observers[name] = of
		}
		if n := len(of.lines); n > 0 && of.lines[n-1].second > c.next+mostAhead {
			return false, nil
		}
		return c.readFile(name, &of.file, ended, read, func(lines []byte) error { of.take(lines, c.until); return nil })
	case w.Role != bundle.RoleWorker || w.Workload != c.of.Name || w.Index >= c.of.Workers:
		return false, nil
	}
	of := c.workers[w]
	if of == nil {
		of = newWorker(w.Index)
		c.workers[w] = of
	}
	switch {
	case kind == bundle.Hlog && of.begun <= c.next+mostAhead:
		heard := of.heard // before, for rows may come in the meantime
		more, err := c.readFile(name, &of.log, ended, read, func(lines []byte) error {
			return of.takeLog(lines, c.until, max(allPending/c.of.Workers, leastPending))
		})
		if !more {
			of.quiet = heard
		}
		return more, err
	case kind == bundle.Jsonl && of.heard <= c.next+mostAhead:
		return c.readFile(name, &of.self, ended, read, func(lines []byte) error { return of.takeSelf(lines, c.until) })
	}
	return false, nil
}

// readFile hands on the whole lines that follow. What can't be read breaks the file, and nothing else.
func (c *Course) readFile(name string, of *file, ended bool, read Read, take func(lines []byte) error) (more bool, err error) {
	if of.ended || of.broken {
		return false, nil
	}
	text, err := read(name, of.offset, mostChunk)
	if err != nil {
		return false, err
	}
	lines := text[:bytes.LastIndexByte(text, '\n')+1]
	full := len(text) >= mostChunk
	of.offset += int64(len(lines))
	of.broken = full && len(lines) == 0 || take(lines) != nil
	of.ended = ended && !full
	return full && !of.broken, nil
}

// take takes whole lines of what an observer saw, in the order of time. Another one, and one that can't be read, is passed over.
func (o *observer) take(lines []byte, last int64) {
	for text := range bytes.Lines(lines) {
		var line bundle.TopologyLine
		if json.Unmarshal(text, &line) != nil || len(line.Members) > report.MaxMembers || len(line.Leader) > report.MaxName {
			continue
		}
		told := seen{line.AtUnixNanos / instant.NanosPerSecond, Members{Leader: line.Leader, Term: line.Term, Members: []Member{}}}
		for i := range line.Members {
			if m := &line.Members[i]; len(m.Name) <= report.MaxName && len(m.Role) <= report.MaxName {
				told.members.Members = append(told.members.Members, Member{Name: m.Name, Role: m.Role, Up: m.Healthy})
			}
		}
		n := len(o.lines)
		if told.second > last || n > 0 && told.second < o.lines[n-1].second {
			continue
		}
		if n > 0 && told.second == o.lines[n-1].second {
			o.lines = o.lines[:n-1]
		}
		o.lines = append(o.lines, told)
	}
}

// members are what was seen last up to the end of a second; nil if that was told already.
func (c *Course) members(second int64) *Members {
	newest := seen{second: -1}
	for _, o := range c.observers {
		for len(o.lines) > 1 && o.lines[1].second <= second {
			o.lines = o.lines[1:]
		}
		if len(o.lines) > 0 && o.lines[0].second <= second && o.lines[0].second > newest.second {
			newest = o.lines[0]
		}
	}
	if newest.second < second-lookedFor {
		newest.members = Members{Members: []Member{}}
	}
	if t := c.told; t != nil && t.Leader == newest.members.Leader && t.Term == newest.members.Term && slices.Equal(t.Members, newest.members.Members) {
		return nil
	}
	c.told = &newest.members
	return c.told
}
