package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeLaunchers makes a script for each program that runs it with the tree's own loader
// and libraries: the machine may lack them, or have others. The tree is moved to its place
// later.
//
// A program may look for others, and for its data, beside itself, as PostgreSQL does. So the
// scripts lie in the programs' places of a second tree, the rest of which is links.
func writeLaunchers(ctx context.Context, now, later Tree, programs []string) error {
	loaders, err := filepath.Glob(filepath.Join(now.Root(), "lib", "*", "ld-linux-*.so.*"))
	if err != nil || len(loaders) != 1 {
		return fmt.Errorf("the packages have %d program loaders below lib, want 1", len(loaders))
	}
	multiarch := filepath.Base(filepath.Dir(loaders[0])) // such as x86_64-linux-gnu
	if err := errors.Join(linkAround(now, later, programs), os.MkdirAll(now.Bin(), 0o755)); err != nil {
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
		script := launcher(later, multiarch, filepath.Base(loaders[0]), program)
		if err := errors.Join(
			os.WriteFile(filepath.Join(now.runnable(), program), []byte(script), 0o755),
			os.Symlink(filepath.Join(later.runnable(), program), filepath.Join(now.Bin(), filepath.Base(program))),
		); err != nil {
			return err
		}
	}
	return nil
}

// linkAround makes the folders of the programs in the second tree, and links to what is
// beside them and their folders in the first.
func linkAround(now, later Tree, programs []string) error {
	own := map[string]bool{}
	for _, program := range programs {
		own[program] = true
		for dir := filepath.Dir(program); ; dir = filepath.Dir(dir) {
			own[dir] = true
			if dir == "/" {
				break
			}
		}
	}
	for path := range own {
		entries, err := os.ReadDir(filepath.Join(now.Root(), path))
		if err != nil {
			continue // a program
		}
		if err := os.MkdirAll(filepath.Join(now.runnable(), path), 0o755); err != nil {
			return err
		}
		for _, entry := range entries {
			beside := filepath.Join(path, entry.Name())
			if own[beside] {
				continue
			}
			if err := os.Symlink(filepath.Join(later.Root(), beside), filepath.Join(now.runnable(), beside)); err != nil {
				return err
			}
		}
	}
	return nil
}

func libraryPath(root, multiarch string) string {
	return filepath.Join(root, "usr", "lib", multiarch) + ":" + filepath.Join(root, "lib", multiarch)
}

// launcher ends as the program itself, so that a signal to it is one to the program.
func launcher(tree Tree, multiarch, loader, program string) string {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	return fmt.Sprintf("#!/bin/sh\nexec %s --inhibit-cache --library-path %s --argv0 %s %s \"$@\"\n",
		quote(filepath.Join(tree.Root(), "lib", multiarch, loader)), quote(libraryPath(tree.Root(), multiarch)),
		quote(filepath.Join(tree.runnable(), program)), quote(filepath.Join(tree.Root(), program)))
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
