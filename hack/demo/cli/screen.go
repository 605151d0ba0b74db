package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// screen shows what is going on: in a terminal one line that is redrawn, elsewhere a
// line at each change and a sign of life in between.
type screen struct {
	out      io.Writer
	terminal bool
	width    int
	quiet    time.Duration // between two lines that differ in nothing but numbers

	mu     sync.Mutex
	drawn  bool
	key    string
	shown  time.Time
	detail string // of the step under way
}

func newScreen(out *os.File) *screen {
	s := &screen{out: out, terminal: term.IsTerminal(int(out.Fd())), width: 100, quiet: 5 * time.Second}
	if w, _, err := term.GetSize(int(out.Fd())); err == nil && w > 20 {
		s.width = w
	}
	return s
}

// Say prints a line that stays.
func (s *screen) Say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	fmt.Fprintf(s.out, format+"\n", args...)
	s.key = ""
}

// Progress shows the state. key tells states apart that deserve a line of their own.
func (s *screen) Progress(now time.Time, key, line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal {
		if len(line) >= s.width {
			line = line[:s.width-1]
		}
		fmt.Fprintf(s.out, "\r%s\x1b[K", line)
		s.drawn = true
		return
	}
	if key == s.key && now.Sub(s.shown) < s.quiet {
		return
	}
	s.key, s.shown = key, now
	fmt.Fprintln(s.out, line)
}

// Keep leaves the redrawn line standing.
func (s *screen) Keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		fmt.Fprintln(s.out)
		s.drawn = false
	}
}

func (s *screen) wipe() {
	if s.drawn {
		fmt.Fprint(s.out, "\r\x1b[K")
		s.drawn = false
	}
}

// Detail says how far the step under way is.
func (s *screen) Detail(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detail = text
}

func (s *screen) progressOf(what string, took time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := fmt.Sprintf("%s ... %s", what, took.Round(time.Second))
	if s.detail != "" {
		line += " (" + s.detail + ")"
	}
	return line
}

// Step does something that takes a while, and shows for how long it has.
func (s *screen) Step(what string, do func() error) error {
	begin := time.Now()
	s.Detail("")
	end := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		s.Progress(begin, what, what+" ...")
		for {
			select {
			case <-end:
				return
			case now := <-tick.C:
				s.Progress(now, what, s.progressOf(what, now.Sub(begin)))
			}
		}
	})
	err := do()
	close(end)
	ticking.Wait()
	took := time.Since(begin).Round(time.Second)
	if err == nil && (s.terminal || took >= time.Second) {
		s.Say("%s: done in %s", what, took)
	}
	return err
}

// indent is a writer for another program's output.
type indent struct{ s *screen }

func (w indent) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w.s.Say("  %s", strings.TrimRight(line, "\r\n"))
	}
	return len(p), nil
}
