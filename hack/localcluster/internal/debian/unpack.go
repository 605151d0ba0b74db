// Package debian fetches programs from Debian packages and unpacks them into a folder of
// their own. Nothing is installed: the machine's own packages stay as they are, and no
// root is needed.
package debian

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// recipe counts changes of what is done with the packages.
const recipe = 3

// Cache is the folder of unpacked packages.
type Cache struct {
	Dir    string
	Report *progress.Reporter
}

// Tree is a root file system of some packages and the libraries that they need.
type Tree struct {
	Dir string
}

// Root is its root folder.
func (t Tree) Root() string { return filepath.Join(t.Dir, "root") }

// Bin is a folder of scripts that run its programs on this machine, each by its name.
func (t Tree) Bin() string { return filepath.Join(t.Dir, "bin") }

// runnable is a second tree, of links to the first and those scripts in their programs' places.
func (t Tree) runnable() string { return filepath.Join(t.Dir, "runnable") }

// listFile names every package and its version, the first one that was asked for first.
func (t Tree) listFile() string { return filepath.Join(t.Dir, "packages") }

// Version is the first package's.
func (t Tree) Version() (string, error) {
	list, err := os.ReadFile(t.listFile())
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(list), "\n")
	_, version, ok := strings.Cut(first, "=")
	if !ok {
		return "", fmt.Errorf("%s begins with %q and names no version: delete its folder", t.listFile(), first)
	}
	return version, nil
}

// Wanted is what a tree is made of.
type Wanted struct {
	Name     string // of the tree
	Packages []string
	// Suite is where they are looked for besides: Backports, or none.
	Suite string
	// Programs are the paths of those that Bin has. All are checked to find their libraries in
	// the tree.
	Programs []string
}

// Ensure returns the tree of these packages with their libraries, and fetches it when it
// isn't there.
//
// The versions are those that the distribution had then: a tree is kept until somebody
// deletes it, so that all images and tests of a machine have the same program.
func (c Cache) Ensure(ctx context.Context, want Wanted) (Tree, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %q %q%s", recipe, codename(), want.Packages, want.Programs, want.Suite))
	tree := Tree{Dir: filepath.Join(c.Dir, fmt.Sprintf("%s-%s-%s-%s", want.Name, codename(), runtime.GOARCH, hex.EncodeToString(sum[:])[:8]))}
	if _, err := os.Stat(tree.listFile()); err == nil {
		return tree, nil
	}
	for _, program := range []string{"apt-get", "apt-cache", "dpkg-deb"} {
		if _, err := exec.LookPath(program); err != nil {
			return tree, fmt.Errorf("%s is missing, and %s comes from Debian's packages: use a machine with Debian 12", program, want.Name)
		}
	}
	temp, remove, err := scratch.Dir(c.Dir)
	if err != nil {
		return tree, err
	}
	defer remove()
	// Two of apt-get get in each other's way.
	release, err := host.Lock(ctx, filepath.Join(c.Dir, ".lock"), c.Report)
	if err != nil {
		return tree, err
	}
	defer release()
	if _, err := os.Stat(tree.listFile()); err == nil {
		return tree, nil // by another command
	}
	c.Report.Say("Fetching %s from Debian's packages with apt-get, into %s; nothing is installed.", want.Name, tree.Dir)
	err = c.Report.Step("unpacking "+strings.Join(want.Packages, ", ")+" and libraries", func(detail func(string)) error {
		if err := c.make(ctx, Tree{Dir: temp}, tree, want, detail); err != nil {
			return err
		}
		return os.Rename(temp, tree.Dir)
	})
	return tree, err
}

// make fills a tree that lies elsewhere for the time being.
func (c Cache) make(ctx context.Context, now, later Tree, want Wanted, detail func(string)) error {
	debs, apt := filepath.Join(now.Dir, "debs"), filepath.Join(now.Dir, "apt")
	from, err := openSources(apt, want.Suite)
	if err != nil {
		return err
	}
	update := func() error {
		detail("apt-get update")
		_, err := run(ctx, now.Dir, "apt-get", from.args("update", "-q")...)
		return err
	}
	if from.fresh() {
		if err := update(); err != nil {
			return err
		}
	}
	wanted, err := fetch(ctx, from, debs, want.Packages, detail)
	if err != nil && !from.fresh() {
		// A machine may have no package lists yet, or ones from before a package's last fix,
		// whose files the archive has no more.
		if updateErr := update(); updateErr != nil {
			return errors.Join(err, updateErr)
		}
		wanted, err = fetch(ctx, from, debs, want.Packages, detail)
	}
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err != nil || len(files) < len(wanted) {
		return errors.Join(err, fmt.Errorf("apt-get brought %d of %d packages", len(files), len(wanted)))
	}
	for i, file := range files {
		detail(fmt.Sprintf("unpacking %d of %d", i+1, len(files)))
		if _, err := run(ctx, now.Dir, "dpkg-deb", "--extract", file, now.Root()); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(debs), os.RemoveAll(apt), trim(now.Root()), relink(now.Root())); err != nil {
		return err
	}
	if err := writeLaunchers(ctx, now, later, want.Programs); err != nil {
		return err
	}
	return os.WriteFile(now.listFile(), []byte(strings.Join(wanted, "\n")+"\n"), 0o644)
}

// fetch brings the packages and their libraries into a folder, and returns them as
// name=version. apt-get compares each with the archive's signed sums.
func fetch(ctx context.Context, from sources, dir string, packages []string, detail func(string)) ([]string, error) {
	detail("looking for their libraries")
	found, err := closure(packages, func(names []string) (string, error) {
		return run(ctx, "", "apt-cache", from.args("show", append([]string{"--no-all-versions"}, names...)...)...)
	})
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, p := range found {
		wanted = append(wanted, p.Name+"="+p.Version)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	detail(fmt.Sprintf("fetching %d packages", len(wanted)))
	_, err = run(ctx, dir, "apt-get", from.args("download", append([]string{"-q", "-o", "APT::Sandbox::User=root"}, wanted...)...)...)
	return wanted, err
}

// trim removes what no program reads.
func trim(root string) error {
	var failed []error
	for _, dir := range []string{"doc", "man", "locale", "lintian", "bug"} {
		failed = append(failed, os.RemoveAll(filepath.Join(root, "usr", "share", dir)))
	}
	return errors.Join(failed...)
}

// relink makes relative links of those to the tree's own files: on this machine, too, a program
// is to find the tree's, not the machine's.
func relink(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink == 0 {
			return err
		}
		target, err := os.Readlink(path)
		if err != nil || !filepath.IsAbs(target) {
			return err
		}
		target = filepath.Join(root, filepath.Clean(target)) // above / there is nothing
		if _, err := os.Lstat(target); err != nil {
			return nil // of a package that isn't there
		}
		relative, err := filepath.Rel(filepath.Dir(path), target)
		if err != nil {
			return err
		}
		return errors.Join(os.Remove(path), os.Symlink(relative, path))
	})
}

func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(problems.String()))
	}
	return out.String(), nil
}

// codename is the distribution's, such as bookworm.
func codename() string {
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(release)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			return strings.Trim(value, `"`)
		}
	}
	return "unknown"
}
