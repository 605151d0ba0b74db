// Command changed runs the tests that a change concerns, for use while working.
package main

import (
	"bytes"
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

	"github.com/kvbench/kvbench/internal/stores/catalog"
)

const usage = `Usage: changed [-since COMMIT] [-plan]

Tests what changed since a commit, what isn't committed included: unit tests of packages and of
their dependents, the conformance of a store whose folder or chart changed, that chart on the cluster with the fewest
members, the controllers' tests, and end-to-end specs whose files changed. It says first what
it is going to run. It is no substitute for make test.

`

// catalogSizes are the numbers of members that make test-catalog has.
var catalogSizes = []int{1, 3, 5, 7, 9}

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
		cmd := exec.CommandContext(ctx, "make", append([]string{"--no-print-directory", t.name}, t.variables...)...)
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
	if commit, err := output(ctx, "git", "merge-base", "HEAD", "origin/main"); err == nil {
		return strings.TrimSpace(commit)
	}
	return "HEAD"
}

// changedFiles are those that differ from the commit, those that are gone, and those that git
// doesn't know yet.
func changedFiles(ctx context.Context, since string) (files []string, err error) {
	for _, args := range [][]string{
		{"diff", "--name-only", "--no-renames", "-z", since, "--"},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		names, err := output(ctx, "git", args...)
		if err != nil {
			return nil, err
		}
		files = slices.AppendSeq(files, strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00"))
	}
	return slices.DeleteFunc(files, func(file string) bool { return file == "" }), nil
}

// read looks at the catalog and at the checkout, and asks Go for its imports.
func read(ctx context.Context) (in repository, err error) {
	in.deployments = map[string][]string{}
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		for i := range entry.Modes {
			mode := &entry.Modes[i]
			if fewest := slices.IndexFunc(catalogSizes, mode.CanHave); fewest >= 0 {
				in.deployments[entry.Chart] = append(in.deployments[entry.Chart],
					fmt.Sprintf("%s, mode %s, with %d members", name, mode.Name, catalogSizes[fewest]))
			}
		}
	}
	if in.controllers, err = imports(ctx, "./test/integration"); err != nil {
		return in, err
	}
	if in.conformance, err = imports(ctx, "./test/conformance"); err != nil {
		return in, err
	}
	files, err := filepath.Glob("test/e2e/*_test.go")
	if err != nil {
		return in, err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return in, err
		}
		if bytes.Contains(content, []byte(" = Describe(")) {
			in.specs = append(in.specs, filepath.Base(file))
		}
	}
	return in, nil
}

// imports are the folders of this module's packages that a package and its tests are built of.
func imports(ctx context.Context, of string) (folders []string, err error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	found, err := output(ctx, "go", "list", "-deps", "-test", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", of)
	if err != nil {
		return nil, err
	}
	for _, folder := range strings.Fields(found) {
		relative, err := filepath.Rel(root, folder)
		if err != nil {
			return nil, err
		}
		if folder := filepath.ToSlash(relative); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}
