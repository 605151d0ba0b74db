package ycsb

import (
	"crypto/rand"
	"fmt"
	"os"
)

// openBundle makes the folder of the raw files; done removes it if it was not asked for.
func (s *Settings) openBundle() (dir string, done func() error, err error) {
	if s.Bundle == "" {
		dir, err := os.MkdirTemp("", "kvbench-")
		if err != nil {
			return "", nil, fmt.Errorf("make a folder for the raw files: %w", err)
		}
		return dir, func() error { return os.RemoveAll(dir) }, nil
	}
	if err := os.MkdirAll(s.Bundle, 0o755); err != nil {
		return "", nil, Refuse("--bundle: %w", err)
	}
	entries, err := os.ReadDir(s.Bundle)
	if err != nil {
		return "", nil, Refuse("--bundle: %w", err)
	}
	if len(entries) > 0 {
		return "", nil, Refuse("--bundle %s is not empty: name a new folder for each load and each run", s.Bundle)
	}
	return s.Bundle, func() error { return nil }, nil
}

// newUID names a run in its bundle, as a pod's UID does.
func newUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
