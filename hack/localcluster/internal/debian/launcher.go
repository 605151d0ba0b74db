package debian

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeLaunchers makes a script for each program that runs it with the tree's own loader
// and libraries: the machine may lack them, or have others. The tree is moved to its place
// later.
func writeLaunchers(ctx context.Context, now, later Tree, programs []string) error {
	loaders, err := filepath.Glob(filepath.Join(now.Root(), "lib", "*", "ld-linux-*.so.*"))
	if err != nil || len(loaders) != 1 {
		return fmt.Errorf("the packages have %d program loaders below lib, want 1", len(loaders))
	}
	multiarch := filepath.Base(filepath.Dir(loaders[0])) // such as x86_64-linux-gnu
	if err := os.MkdirAll(now.Bin(), 0o755); err != nil {
		return err
	}
	for _, program := range programs {
		list, err := run(ctx, "", loaders[0], "--inhibit-cache", "--library-path", libraryPath(now.Root(), multiarch), "--list", filepath.Join(now.Root(), program))
		if err != nil {
			return err
		}
		if foreign := outside(list, now.Root()); len(foreign) > 0 {
			return fmt.Errorf("%s needs libraries that its packages don't bring: %s", program, strings.Join(foreign, ", "))
		}
		script := launcher(later.Root(), multiarch, filepath.Base(loaders[0]), program)
		if err := os.WriteFile(filepath.Join(now.Bin(), filepath.Base(program)), []byte(script), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func libraryPath(root, multiarch string) string {
	return filepath.Join(root, "usr", "lib", multiarch) + ":" + filepath.Join(root, "lib", multiarch)
}

// launcher ends as the program itself, so that a signal to it is one to the program.
func launcher(root, multiarch, loader, program string) string {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	return fmt.Sprintf("#!/bin/sh\nexec %s --inhibit-cache --library-path %s --argv0 %s %s \"$@\"\n",
		quote(filepath.Join(root, "lib", multiarch, loader)), quote(libraryPath(root, multiarch)),
		filepath.Base(program), quote(filepath.Join(root, program)))
}

// outside are the libraries in a loader's list that were found elsewhere, which is on the
// machine: in an image they would be missing.
func outside(list, root string) []string {
	var found []string
	for line := range strings.Lines(list) {
		name, file, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if ok && !strings.HasPrefix(file, root+string(filepath.Separator)) {
			found = append(found, name)
		}
	}
	return found
}
