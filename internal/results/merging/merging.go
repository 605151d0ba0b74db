// Package merging makes reports in processes of their own, each with bounds of memory and of a
// processor's time. Bundles come from pods: whatever one makes a merge take, the server and the
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
	"strings"
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
	command     []string
	memoryBytes uint64
}

// New makes reports with the command, which calls Serve. Its processes have so many bytes of memory each.
func New(memoryBytes int64, command ...string) *Merger {
	return &Merger{command: command, memoryBytes: uint64(max(memoryBytes, leastMemoryBytes))}
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
	failed := &tail{}
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
	if heard != nil {
		cancel() // nobody reads on
	}
	ended := process.Wait()
	var exit *exec.ExitError
	switch {
	case heard != nil && !errors.Is(heard, io.ErrUnexpectedEOF):
		return heard
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(ended, &exit) && exit.ExitCode() == 1:
		return fmt.Errorf("make the report: %s", failed)
	case errors.As(ended, &exit):
		return &results.BadBundle{Cause: fmt.Sprintf(
			"it takes more than %d MiB of memory or %d s of a processor. Where its files are sound, raise results.resources.limits.memory of kvbench's chart",
			asked.MemoryBytes>>20, asked.Seconds)}
	}
	return errors.Join(heard, ended)
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
	return task{Folder: folder, MemoryBytes: m.memoryBytes, Seconds: leastSeconds + uint64(size)/bytesOfASecond}, nil
}

// tail is the end of what was written.
type tail struct{ text []byte }

func (t *tail) Write(part []byte) (int, error) {
	t.text = append(t.text, part...)
	t.text = t.text[max(0, len(t.text)-maxTroubleBytes):]
	return len(part), nil
}

func (t *tail) String() string { return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "")) }
