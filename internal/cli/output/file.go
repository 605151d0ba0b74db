package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// File writes a file whole or not at all. Until the end, who reads the path finds what was there before.
func File(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".kvbench-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	return errors.Join(os.Chmod(file.Name(), 0o644), os.Rename(file.Name(), path))
}
