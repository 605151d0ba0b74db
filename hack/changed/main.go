// Command changed tests what a change touches, for use while working.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const usage = `Usage: changed [-since COMMIT] [-plan]

Tests what changed since a commit, what isn't committed included: unit tests of packages and of
their dependents, the conformance of a store whose folder or chart changed, its chart on the
cluster, the controllers' tests, and end-to-end specs whose files changed. It says first what
it is going to run. It is no substitute for make test.

`

func main() {
	flag.Usage = func() {
		_, _ = fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	since := flag.String("since", "", "commit to compare with (default: where this branch left origin/main; without one, the last commit)")
	plan := flag.Bool("plan", false, "say what would be run, and end")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *since, *plan); err != nil {
		fmt.Fprintln(os.Stderr, "changed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, since string, planOnly bool) error {
	if since == "" {
		since = base(ctx)
	}
	files, err := changedFiles(ctx, since)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintf(out, "Nothing changed since %s.\n", since)
		return nil
	}
	in, err := read(ctx)
	if err != nil {
		return err
	}
	targets := choose(files, in)
	fmt.Fprintf(out, "%d files changed since %s. To run:\n", len(files), since)
	for _, t := range targets {
		fmt.Fprintf(out, "  make %s   # %s\n", strings.Join(quoted(t), " "), t.why)
	}
	if planOnly {
		return nil
	}
	begin := time.Now()
	for _, t := range targets {
		cmd := exec.CommandContext(ctx, "make", t.args()...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, time.Minute
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("make %s: %w", strings.Join(quoted(t), " "), err)
		}
	}
	fmt.Fprintf(out, "What changed since %s passed in %s.\n", since, time.Since(begin).Round(time.Second))
	return nil
}

func quoted(t target) []string {
	words := []string{t.name}
	for _, v := range t.variables {
		name, value, _ := strings.Cut(v, "=")
		words = append(words, name+"='"+value+"'")
	}
	return words
}

// base is where this branch left origin/main, or the last commit.
func base(ctx context.Context) string {
	if commit, err := lines(ctx, "git", "merge-base", "HEAD", "origin/main"); err == nil && len(commit) == 1 {
		return commit[0]
	}
	return "HEAD"
}

// changedFiles are those that differ from the commit, and those that git doesn't know yet.
func changedFiles(ctx context.Context, since string) ([]string, error) {
	differ, err := lines(ctx, "git", "diff", "--name-only", "--no-renames", since, "--")
	if err != nil {
		return nil, err
	}
	others, err := lines(ctx, "git", "ls-files", "--others", "--exclude-standard")
	return append(differ, others...), err
}

// read looks at the checkout's folders, and asks Go for its imports.
func read(ctx context.Context) (repository, error) {
	in := repository{}
	charts, err := os.ReadDir("charts/stores")
	if err != nil {
		return in, fmt.Errorf("looking for the stores: %w; run it in the repository's root", err)
	}
	for _, chart := range charts {
		if _, err := os.Stat(filepath.Join("internal/stores", chart.Name())); err == nil {
			in.stores = append(in.stores, chart.Name())
		}
	}
	root, err := os.Getwd()
	if err != nil {
		return in, err
	}
	folders, err := lines(ctx, "go", "list", "-deps", "-test", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", "./test/integration")
	if err != nil {
		return in, err
	}
	for _, folder := range folders {
		if relative, err := filepath.Rel(root, folder); err == nil && !slices.Contains(in.controllers, relative) {
			in.controllers = append(in.controllers, filepath.ToSlash(relative))
		}
	}
	return in, nil
}

func lines(ctx context.Context, name string, args ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.Fields(string(out)), err
}
