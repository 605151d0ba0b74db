package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

// errNotInstalled is a program that isn't there.
var errNotInstalled = errors.New("is needed and isn't on the PATH: install it first")

// output runs a program and returns its standard output; its standard error belongs to
// the error.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := run(ctx, cmd)
	if said := strings.TrimSpace(problems.String()); err != nil && said != "" {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return out.String(), err
}

// stream runs a program whose own output is the progress; in a terminal it has the
// terminal to itself.
func stream(ctx context.Context, s *screen.Screen, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	if s.Terminal() {
		s.Keep()
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	} else {
		cmd.Stdout = s.Indent()
		cmd.Stderr = cmd.Stdout
	}
	return run(ctx, cmd)
}

func run(ctx context.Context, cmd *exec.Cmd) error {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s %w", cmd.Args[0], errNotInstalled)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return nil
}
