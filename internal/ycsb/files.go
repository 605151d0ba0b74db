package ycsb

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// openBundle makes the folder of the raw files; done removes it if it was not asked for, or
// if nothing was begun: else the same command would be refused the next time.
func (s *Settings) openBundle() (dir string, done func(begun bool) error, err error) {
	if s.Bundle == "" {
		dir, err := os.MkdirTemp("", "kvbench-")
		if err != nil {
			return "", nil, fmt.Errorf("make a folder for the raw files: %w", err)
		}
		return dir, func(bool) error { return os.RemoveAll(dir) }, nil
	}
	_, err = os.Stat(s.Bundle)
	made := errors.Is(err, fs.ErrNotExist)
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
	return s.Bundle, func(begun bool) error {
		switch {
		case begun:
			return nil
		case made:
			return os.RemoveAll(s.Bundle)
		}
		return removeContent(s.Bundle)
	}, nil
}

// removeContent empties a folder that was there, and empty, before.
func removeContent(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	return err
}

// newUID names a run in its bundle, as a pod's UID does.
func newUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
