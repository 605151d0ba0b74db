package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

// compile runs go build in a folder, and tells how far it is. It compiles as make does, so
// that no package is compiled twice; and for Linux, which is what nodes and images are.
func compile(ctx context.Context, s *screen.Screen, what, folder string, args ...string) error {
	return s.Step(what, func() error {
		cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-v", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}, args...)...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
		progress := &compiled{screen: s}
		cmd.Stderr = progress
		if err := run(ctx, cmd); err != nil {
			return fmt.Errorf("%w\n%s", err, strings.Join(progress.complaints, "\n"))
		}
		return nil
	})
}

// compiled takes what go build -v prints: the packages it compiles, and complaints.
type compiled struct {
	screen     *screen.Screen
	packages   int
	complaints []string
}

func (c *compiled) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.ContainsAny(line, " :"):
			c.complaints = append(c.complaints, line)
		default:
			c.packages++
			c.screen.Detail(fmt.Sprintf("%d packages compiled, %s", c.packages, line))
		}
	}
	return len(p), nil
}
