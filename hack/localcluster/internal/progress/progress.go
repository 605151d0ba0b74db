// Package progress tells a person what a command is doing, for how long, and what it waits for. It writes to
// stderr, since stdout is for the command's answer.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Reporter writes steps. On a terminal the running step is one line that is
// rewritten; in a log it is a line at the start and one every 15 seconds.
type Reporter struct {
	out      io.Writer
	terminal bool
}

// New reports to stderr.
func New() *Reporter {
	_, err := unix.IoctlGetTermios(int(os.Stderr.Fd()), unix.TCGETS)
	return &Reporter{out: os.Stderr, terminal: err == nil}
}

// Say writes a line.
func (r *Reporter) Say(format string, args ...any) {
	fmt.Fprintf(r.out, format+"\n", args...)
}

// Step runs do as the step called what. do may tell a detail ("pods 2 of 3")
// at any time, from any goroutine.
func (r *Reporter) Step(what string, do func(detail func(string)) error) error {
	start := time.Now()
	var mu sync.Mutex
	var detail string
	said := false

	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Add(1)
	go func() {
		defer ticking.Done()
		for wait := r.first(); ; wait = r.next() {
			select {
			case <-done:
				return
			case <-time.After(wait):
			}
			mu.Lock()
			r.running(what, detail, time.Since(start))
			said = true
			mu.Unlock()
		}
	}()
	err := do(func(d string) {
		mu.Lock()
		detail = d
		mu.Unlock()
	})
	close(done)
	ticking.Wait()

	if r.terminal && said {
		fmt.Fprint(r.out, "\r\033[K")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	r.Say("  ✓ %s (%s)", what, short(time.Since(start)))
	return nil
}

func (r *Reporter) first() time.Duration {
	if r.terminal {
		return 300 * time.Millisecond
	}
	return 1500 * time.Millisecond
}

func (r *Reporter) next() time.Duration {
	if r.terminal {
		return 500 * time.Millisecond
	}
	return 15 * time.Second
}

func (r *Reporter) running(what, detail string, elapsed time.Duration) {
	if detail != "" {
		detail = ": " + detail
	}
	if r.terminal {
		line := fmt.Sprintf("  … %s (%s)%s", what, short(elapsed), detail)
		if runes := []rune(line); len(runes) > 110 {
			line = string(runes[:110])
		}
		fmt.Fprintf(r.out, "\r\033[K%s", line)
		return
	}
	r.Say("  … %s (%s)%s", what, short(elapsed), detail)
}

func short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
