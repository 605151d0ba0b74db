package ship

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Continue opens the file of that name in dir to write on, or makes it: for the observer,
// whose container may be restarted in its pod. A line that was cut off by that is dropped.
func Continue(dir, name string) (*File, error) {
	path := filepath.Join(dir, name)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("continue a file of the bundle: %w", err)
	}
	f := &File{Name: name, file: file, digest: sha256.New()}
	if err := f.resume(); err != nil {
		file.Close()
		return nil, fmt.Errorf("continue %s: %w", path, err)
	}
	return f, nil
}

// resume takes up length and digest of the whole lines that are there.
func (f *File) resume() error {
	content, err := io.ReadAll(f.file)
	if err != nil {
		return err
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	f.length = int64(len(content))
	f.digest.Write(content)
	if err := f.file.Truncate(f.length); err != nil {
		return err
	}
	_, err = f.file.Seek(f.length, io.SeekStart)
	return err
}
