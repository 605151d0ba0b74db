// Package scratch makes folders for unfinished things. A folder lies beside the thing that is made, so that
// a rename completes it. Folders that a killed command left are removed a day later.
package scratch

import (
	"os"
	"path/filepath"
	"time"
)

const (
	prefix = ".making-"
	keep   = 24 * time.Hour
)

// Dir makes a folder in parent, which it makes too.
func Dir(parent string) (dir string, remove func(), err error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", nil, err
	}
	sweep(parent, time.Now().Add(-keep))
	dir, err = os.MkdirTemp(parent, prefix)
	return dir, func() { os.RemoveAll(dir) }, err
}

// sweep removes what is older: another command may be at work on the younger ones.
func sweep(parent string, before time.Time) {
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && info.ModTime().Before(before) {
			os.RemoveAll(dir)
		}
	}
}
