package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tempPrefix marks files that were being written; what a killed process left of them is
// removed at the next start. No name of a bundle begins with a dot.
const tempPrefix = ".writing-"

// disk writes into files and makes what was written durable. Tests put a full one, or a
// broken one, in its place.
type disk struct {
	write func(file *os.File, content []byte, offset int64) (int, error)
	sync  func(file *os.File) error
	// truncate shortens a file to so many bytes.
	truncate func(path string, length int64) error
}

func realDisk() *disk {
	return &disk{write: (*os.File).WriteAt, sync: (*os.File).Sync, truncate: os.Truncate}
}

// createOnce makes a file with this content, whole and durable, or fails with
// fs.ErrExist.
func (d *disk) createOnce(dir, name string, content []byte) error {
	temp, err := d.writeTemp(dir, bytes.NewReader(content))
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	return d.link(temp, dir, name)
}

// link gives what writeTemp wrote a name of its own, or fails with fs.ErrExist.
func (d *disk) link(temp, dir, name string) error {
	if err := os.Link(temp, filepath.Join(dir, name)); err != nil {
		return err
	}
	return d.syncDir(dir)
}

// replace makes or replaces a file, whole and durable: a reader and a restarted server
// see the old content or the new.
func (d *disk) replace(dir, name string, content io.Reader) error {
	temp, err := d.writeTemp(dir, content)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	return d.rename(temp, dir, name)
}

// rename gives what writeTemp wrote a name, and takes it from a file that had it.
func (d *disk) rename(temp, dir, name string) error {
	if err := os.Rename(temp, filepath.Join(dir, name)); err != nil {
		return err
	}
	return d.syncDir(dir)
}

// rewrite writes what can be read of a file anew, so that what is read is durable.
func (d *disk) rewrite(dir, name string) error {
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer file.Close()
	return d.replace(dir, name, file)
}

// writeTemp writes content durably into a file without a name of a bundle. Its caller removes it.
func (d *disk) writeTemp(dir string, content io.Reader) (name string, err error) {
	file, err := os.CreateTemp(dir, tempPrefix+"*")
	if err != nil {
		return "", err
	}
	if err = d.copy(file, content); err == nil {
		err = d.sync(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

func (d *disk) copy(file *os.File, content io.Reader) error {
	piece := make([]byte, pieceBytes)
	for length := int64(0); ; {
		n, readErr := content.Read(piece)
		if n > 0 {
			if _, err := d.write(file, piece[:n], length); err != nil {
				return err
			}
			length += int64(n)
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

func (d *disk) syncDir(dir string) error { return d.syncPath(dir) }

func (d *disk) syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(file), file.Close())
}

// lockFolder takes the data folder for this process: two servers on one folder would
// each grant the same claim. The kernel gives the lock back when the process ends.
func lockFolder(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(
			fmt.Errorf("another results server uses the folder %s; wait for its end: %w", dir, err), file.Close())
	}
	return file, nil
}

// freeBytes is the space that is left for us on the folder's file system, and sizeBytes all of it.
func freeBytes(dir string) (uint64, error) {
	stat, err := fileSystem(dir)
	return stat.Bavail * uint64(stat.Bsize), err
}

func sizeBytes(dir string) (uint64, error) {
	stat, err := fileSystem(dir)
	return stat.Blocks * uint64(stat.Bsize), err
}

func fileSystem(dir string) (stat unix.Statfs_t, err error) {
	if err := unix.Statfs(dir, &stat); err != nil {
		return stat, fmt.Errorf("space of %s: %w", dir, err)
	}
	return stat, nil
}

// fileLength is a file's length; 0 when there is no file.
func fileLength(path string) (length int64, exists bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	return info.Size(), true, nil
}

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }
