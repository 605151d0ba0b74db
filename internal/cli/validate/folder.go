package validate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// filesOf are the files that a name stands for: itself, or those of the folder in the order of their names. With an error it
// returns those that it found before.
func filesOf(name string, recursive bool) (files []string, err error) {
	if name == stdin {
		return []string{name}, nil
	}
	about, err := os.Stat(name)
	if err != nil || !about.IsDir() {
		return []string{name}, nil // who reads it says what is wrong
	}
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%w: name a folder that you can read", err)
		case entry.IsDir() && path != name && !recursive:
			return fs.SkipDir
		case entry.IsDir() || !hasObjects(path):
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("%s has more than %d files: check fewer at a time", name, maxFiles)
		}
		files = append(files, path)
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no .yaml, .yml or .json: name another folder%s", name, orRecursive(recursive))
	}
	return files, err
}

func orRecursive(already bool) string {
	if already {
		return ""
	}
	return ", or add --recursive for those below it"
}

// kustomizations are what kustomize reads. They have no object for a cluster.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml"}

// hasObjects says that a file of a folder is one to check. A link may lead to a file, or to what can't be read.
func hasObjects(path string) bool {
	ends := []string{".yaml", ".yml", ".json"}
	if slices.Contains(kustomizations, filepath.Base(path)) || !slices.Contains(ends, strings.ToLower(filepath.Ext(path))) {
		return false
	}
	about, err := os.Stat(path)
	return err != nil || about.Mode().IsRegular() // with an error, who reads it says what is wrong
}
