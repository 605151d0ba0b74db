// Package screen shows what is going on.
package screen

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Screen shows what is going on: in a terminal one line that is redrawn, elsewhere a
// line at each change and a sign of life in between.
type Screen struct {
	out      io.Writer
	terminal bool
	width    int
	silent   bool          // shows no progress
	quiet    time.Duration // between two lines that differ in nothing but numbers

	mu     sync.Mutex
	drawn  bool
	key    string
	shown  time.Time
	detail string // of the step under way
}

// New writes lines, and redraws the last one where out is a terminal.
func New(out io.Writer) *Screen {
	s := &Screen{out: out, width: 100, quiet: 5 * time.Second}
	file, is := out.(*os.File)
	if !is {
		return s
	}
	s.terminal = term.IsTerminal(int(file.Fd()))
	if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 20 {
		s.width = w
	}
	return s
}

// Say prints a line that stays.
func (s *Screen) Say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	fmt.Fprintf(s.out, format+"\n", args...)
	s.key = ""
}

// Progress shows the state. key tells states apart that deserve a line of their own.
func (s *Screen) Progress(now time.Time, key, line string) {
	if s.silent {
		return
	}
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
func (s *Screen) Keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		fmt.Fprintln(s.out)
		s.drawn = false
	}
}

func (s *Screen) wipe() {
	if s.drawn {
		fmt.Fprint(s.out, "\r\x1b[K")
		s.drawn = false
	}
}

// Detail says how far the step under way is.
func (s *Screen) Detail(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detail = text
}

func (s *Screen) progressOf(what string, took time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := fmt.Sprintf("%s ... %s", what, took.Round(time.Second))
	if s.detail != "" {
		line += " (" + s.detail + ")"
	}
	return line
}

// Step does something that takes a while, and shows for how long it has.
func (s *Screen) Step(what string, do func() error) error {
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

// Quiet writes lines that stay, and no progress.
func Quiet(out io.Writer) *Screen { return &Screen{out: out, silent: true, quiet: 5 * time.Second} }

// Terminal says whether somebody looks at it.
func (s *Screen) Terminal() bool { return s.terminal }

// Indent is a writer for another program's output.
func (s *Screen) Indent() io.Writer { return indent{s} }

type indent struct{ s *Screen }

func (w indent) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w.s.Say("  %s", strings.TrimRight(line, "\r\n"))
	}
	return len(p), nil
}
