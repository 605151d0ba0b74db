package binaries

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// Cache is the folder of built programs.
type Cache struct {
	Dir    string
	Source string
	Report *progress.Reporter
}

// Built is a group that is there.
type Built struct {
	Dir     string
	Version string
}

// Path of one of the group's programs.
func (b Built) Path(program string) string { return filepath.Join(b.Dir, program) }

// Missing says which of the programs (all, if none is named) have to be built.
func (c Cache) Missing(g Group, programs ...string) (Built, []string, error) {
	folder, version, err := g.read(c.Source)
	if err != nil {
		return Built{}, nil, err
	}
	if len(programs) == 0 {
		programs = slices.Sorted(maps.Keys(g.Programs))
	}
	built := Built{Dir: filepath.Join(c.Dir, folder), Version: version}
	var missing []string
	for _, p := range programs {
		if _, err := os.Stat(built.Path(p)); err != nil {
			missing = append(missing, p)
		}
	}
	return built, missing, nil
}

// Ensure builds what is missing of a group, or of the named programs of it.
func (c Cache) Ensure(ctx context.Context, g Group, programs ...string) (Built, error) {
	built, missing, err := c.Missing(g, programs...)
	if err != nil || len(missing) == 0 {
		return built, err
	}
	if err := os.MkdirAll(built.Dir, 0o755); err != nil {
		return built, err
	}
	c.Report.Say("Building %s %s: %s. Cold, on two cores: %s; kept in %s.",
		g.Name, built.Version, strings.Join(missing, ", "), g.Minutes, built.Dir)
	for _, program := range missing {
		if err := c.ensure(ctx, g, built, program); err != nil {
			return built, err
		}
	}
	return built, nil
}

// ensure leaves a program to another command that builds it: two would compile the same packages.
func (c Cache) ensure(ctx context.Context, g Group, built Built, program string) error {
	release, err := host.Lock(ctx, filepath.Join(built.Dir, "."+program+".lock"), c.Report)
	if err != nil {
		return err
	}
	defer release()
	if _, err := os.Stat(built.Path(program)); err == nil {
		return nil
	}
	return c.Report.Step("building "+program+" "+built.Version, func(detail func(string)) error {
		return c.build(ctx, g, built, program, detail)
	})
}

func (c Cache) build(ctx context.Context, g Group, built Built, program string, detail func(string)) error {
	temp, remove, err := scratch.Dir(c.Dir)
	if err != nil {
		return err
	}
	defer remove()

	out := filepath.Join(temp, program)
	args := []string{"build", "-v", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags", strings.ReplaceAll(g.LDFlags, "{version}", built.Version)}
	if g.Tags != "" {
		args = append(args, "-tags", g.Tags)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "-o", out, g.Programs[program])...)
	cmd.Dir = filepath.Join(c.Source, g.Name)
	cgo := "0"
	if g.CGO {
		cgo = "1"
	}
	// GOWORK would pull the group into a workspace whose versions it can't share. Most
	// compilers end before their garbage would be worth collecting.
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOFLAGS=-buildvcs=false -mod=readonly", "GOWORK=off",
		"GOGC=off", "GOMEMLIMIT=1GiB")
	// Go removes what it had begun, if it may.
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 10*time.Second
	if err := runWatched(cmd, detail); err != nil {
		return fmt.Errorf("go %s in %s: %w", strings.Join(cmd.Args[1:], " "), cmd.Dir, err)
	}
	return os.Rename(out, built.Path(program))
}

// runWatched reports each package that go build -v names, and keeps the last
// lines for the error.
func runWatched(cmd *exec.Cmd, detail func(string)) error {
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	var tail []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(reader)
		lines.Buffer(nil, 1<<20)
		for count := 1; lines.Scan(); count++ {
			detail(fmt.Sprintf("%d packages, now %s", count, lines.Text()))
			tail = append(tail, lines.Text())
			if len(tail) > 20 {
				tail = tail[1:]
			}
		}
		io.Copy(io.Discard, reader)
	}()
	err := cmd.Run()
	writer.Close()
	<-done
	if err != nil {
		return errors.Join(err, errors.New(strings.Join(tail, "\n")))
	}
	return nil
}
