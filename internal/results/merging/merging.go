// Package merging makes each report in a process of its own, with limits of memory and processor time.
// Bundles come from pods, which may be hostile. Whatever a bundle makes a merge take, the server and the
// merges of other runs go on.
package merging

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/kvbench/kvbench/internal/results"
)

// A merge reads 7 MB of a bundle in a second of a processor where memory is short.
const (
	leastSeconds     = 30
	bytesOfASecond   = 2 << 20
	leastMemoryBytes = 64 << 20
	maxTroubleBytes  = 2000
)

// Merger makes reports.
type Merger struct {
	command      []string
	memoryBytes  uint64
	leastSeconds uint64
}

// New makes reports with the command, which calls Serve. Its processes have so many bytes of memory each.
func New(memoryBytes int64, command ...string) *Merger {
	return &Merger{command: command, memoryBytes: uint64(max(memoryBytes, leastMemoryBytes)), leastSeconds: leastSeconds}
}

// Merge is a results.MergeFunc.
func (m *Merger) Merge(ctx context.Context, folder string, keep func(name string, content io.Reader) error) error {
	asked, err := m.task(folder)
	if err != nil {
		return err
	}
	question, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	process := exec.CommandContext(bounded, m.command[0], m.command[1:]...)
	process.Env = []string{} // the bundle is none of ours
	failed := &trouble{}
	process.Stdin, process.Stderr = bytes.NewReader(question), failed
	process.WaitDelay = time.Second
	out, err := process.StdoutPipe()
	if err != nil {
		return fmt.Errorf("prepare a process that makes the report: %w", err)
	}
	if err := process.Start(); err != nil {
		return fmt.Errorf("start a process that makes the report: %w", err)
	}
	heard := hear(out, keep)
	if !errors.Is(heard, io.ErrUnexpectedEOF) {
		cancel() // nobody reads on
	}
	ended := process.Wait()
	var exit *exec.ExitError
	switch {
	case heard == nil:
		// Whoever ended the process before its charts were told wants another one to make them.
		return ctx.Err()
	case !errors.Is(heard, io.ErrUnexpectedEOF):
		return heard
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(ended, &exit) && exit.ExitCode() == 1:
		return fmt.Errorf("make the report: %s", failed)
	case errors.As(ended, &exit):
		return asked.broken(exit, failed)
	}
	return errors.Join(heard, ended)
}

// broken says whose fault a process's end is: the bundle's where it came to a bound of its own. Whatever else ended
// it may not do so again.
func (t task) broken(exit *exec.ExitError, said *trouble) error {
	const cure = "Where its files are sound, raise results.resources.limits.memory of kvbench's chart"
	status, _ := exit.Sys().(syscall.WaitStatus)
	switch {
	case exit.ExitCode() == exitSpent, status.Signaled() && status.Signal() == syscall.SIGKILL && t.spent(exit):
		return &results.BadBundle{Cause: fmt.Sprintf("it takes more than %d s of a processor, with %d MiB of memory. %s", t.Seconds, t.MemoryBytes>>20, cure)}
	case outOfMemory.Match(said.text):
		return &results.BadBundle{Cause: fmt.Sprintf("it takes more than %d MiB of memory. %s", t.MemoryBytes>>20, cure)}
	}
	return fmt.Errorf("the process that makes the report ended: %w: %s", exit, said)
}

// outOfMemory is how Go's runtime says that it gets no more, for its heap or for a thread's stack (ENOMEM is 12).
var outOfMemory = regexp.MustCompile(`out of memory|cannot allocate memory|errno=12\b`)

// spent says whether the process had its processor's time, beyond which Linux kills it. Linux doesn't count the last
// ticks for the process.
func (t task) spent(exit *exec.ExitError) bool {
	return exit.UserTime()+exit.SystemTime() >= time.Duration(t.Seconds)*time.Second*9/10
}

// task bounds the merge of a folder by what there is to read.
func (m *Merger) task(folder string) (task, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return task{}, err
	}
	var size int64
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return task{}, err
		}
		size += info.Size()
	}
	return task{Folder: folder, MemoryBytes: m.memoryBytes, Seconds: m.leastSeconds + uint64(size)/bytesOfASecond}, nil
}

// trouble is the begin of what was written: a runtime that ends tells the cause first, and then of all goroutines.
type trouble struct{ text []byte }

func (t *trouble) Write(part []byte) (int, error) {
	t.text = append(t.text, part[:min(len(part), maxTroubleBytes-len(t.text))]...)
	return len(part), nil
}

func (t *trouble) String() string { return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "")) }
