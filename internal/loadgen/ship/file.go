// Package ship sends a pod's append-only files to the results server.
//
// Only its pod writes a File, and only at its end. The package sends the tail of the file at the offset
// that the server's copy has reached. So a request that is repeated, lost or doubled changes nothing. If
// the server's copy has become shorter, the package goes back to that offset. While the server is away,
// the pod writes on, and ships later.
package ship

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/kvbench/kvbench/internal/bundle"
)

// File is a file of the bundle, on the pod's disk. Writing and shipping may happen at the
// same time; each by one goroutine.
type File struct {
	Name string

	mu      sync.Mutex
	file    *os.File
	length  int64
	digest  hash.Hash
	shipped int64 // what the server has, as far as is known
	ended   bool  // the server has the end mark
}

// Create makes the file of that name in dir. It must not be there yet: a pod that finds
// its files has run before, and mixing two runs would spoil both.
func Create(dir, name string) (*File, error) {
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if os.IsExist(err) {
		return nil, fmt.Errorf("%s is there already: this container has run before, and what it began cannot be continued", filepath.Join(dir, name))
	}
	if err != nil {
		return nil, fmt.Errorf("create a file of the bundle: %w", err)
	}
	return &File{Name: name, file: file, digest: sha256.New()}, nil
}

// Write appends p.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.file.Write(p)
	f.digest.Write(p[:n])
	f.length += int64(n)
	if err != nil {
		return n, fmt.Errorf("append to %s: %w", f.Name, err)
	}
	return n, nil
}

// Close closes the file on the pod's disk.
func (f *File) Close() error { return f.file.Close() }

// end is the mark that describes what was written so far.
func (f *File) end() bundle.End {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bundle.End{Length: f.length, SHA256: hex.EncodeToString(f.digest.Sum(nil))}
}

// tail reads what comes after the shipped part into buffer.
func (f *File) tail(buffer []byte) (offset int64, data []byte, err error) {
	f.mu.Lock()
	offset, length := f.shipped, f.length
	f.mu.Unlock()
	data = buffer[:min(int64(len(buffer)), length-offset)]
	if len(data) == 0 {
		return offset, nil, nil
	}
	if _, err := f.file.ReadAt(data, offset); err != nil {
		return offset, nil, fmt.Errorf("read back %s: %w", f.Name, err)
	}
	return offset, data, nil
}

// reached notes the length of the server's copy.
func (f *File) reached(length int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if length < 0 || length > f.length {
		return fmt.Errorf("the results server has %d bytes of %s, and only %d were written: another pod writes it too", length, f.Name, f.length)
	}
	f.shipped = length
	return nil
}

// startAgain has everything sent again, since the server's copy is of other bytes. It fails where the
// pod's own are, for then that would not end.
func (f *File) startAgain() error {
	mark := f.end()
	held := sha256.New()
	if _, err := io.Copy(held, io.NewSectionReader(f.file, 0, mark.Length)); err != nil {
		return fmt.Errorf("read back %s: %w", f.Name, err)
	}
	if digest := hex.EncodeToString(held.Sum(nil)); digest != mark.SHA256 {
		return fmt.Errorf("%s changed on this pod's disk: its SHA-256 is %s, and %s is that of what was written", f.Name, digest, mark.SHA256)
	}
	return f.reached(0)
}

// pending is how much the server lacks.
func (f *File) pending() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.length - f.shipped
}
