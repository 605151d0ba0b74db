package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// used is what a child process took.
type used struct {
	output    string
	cpu       time.Duration // user and system, of all its threads
	peakBytes int64         // resident; at least what this program has itself
}

// maxOutput bounds what is kept of a child's output.
const maxOutput = 1 << 20

// child runs a command to its end, or kills it and all that it started when ctx ends.
func child(ctx context.Context, argv []string) (*used, error) {
	output := &bounded{}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = output, output
	alone(cmd)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("ended after its time, or by a signal: %w", context.Cause(ctx))
		}
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, tail(output.String()))
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil, errors.New("this system doesn't say what a process used")
	}
	return &used{
		output:    output.String(),
		cpu:       time.Duration(usage.Utime.Nano() + usage.Stime.Nano()),
		peakBytes: usage.Maxrss << 10,
	}, nil
}

// alone gives a command a process group of its own, which ends as a whole: with ctx, and
// with this program.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}

// bounded keeps the end of what is written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len() > maxOutput {
		b.Next(b.Len() - maxOutput/2)
	}
	return b.Buffer.Write(p)
}

// tail is the last lines of a program's output.
func tail(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-15):], "\n  ")
}
