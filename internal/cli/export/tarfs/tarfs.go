// Package tarfs reads a bundle in a tar archive where it lies. Nothing is unpacked, so a hostile archive has no path to write to
// and no disk to fill.
package tarfs

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// maxFiles bounds the files of a bundle.
const maxFiles = 10_000

// FS is the files of an archive: a folder without others.
type FS struct {
	archive io.ReaderAt
	files   map[string]entry
}

// entry is where a file's bytes are in the archive.
type entry struct {
	name         string
	offset, size int64
}

// Open lists the files of an archive. It refuses all but plain files without folders: a bundle has no others.
func Open(archive interface {
	io.ReadSeeker
	io.ReaderAt
}) (*FS, error) {
	length, err := archive.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	t := &FS{archive: archive, files: map[string]entry{}}
	for reader := tar.NewReader(archive); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return t, t.checkAny()
		}
		if err != nil {
			return nil, fmt.Errorf("it is no tar archive, or a broken one: %w", err)
		}
		if header.Typeflag == tar.TypeDir && path.Clean(header.Name) == "." {
			continue
		}
		// The reader has read all of the header, and nothing after it.
		offset, err := archive.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		name := path.Clean(header.Name)
		switch {
		case header.Typeflag != tar.TypeReg || sparse(header) || name != path.Base(name) || name == "." || name == "..":
			return nil, fmt.Errorf("%q is no plain file at the archive's root", header.Name)
		case len(t.files) >= maxFiles:
			return nil, fmt.Errorf("it has more than %d files", maxFiles)
		case header.Size > length-offset:
			return nil, fmt.Errorf("it ends within %q", name)
		}
		if _, twice := t.files[name]; twice {
			return nil, fmt.Errorf("it has %q twice", name)
		}
		t.files[name] = entry{name, offset, header.Size}
	}
}

// sparse says that the file's bytes are not all in the archive.
func sparse(header *tar.Header) bool {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

func (t *FS) checkAny() error {
	if len(t.files) == 0 {
		return errors.New("it is no tar archive, or an empty one")
	}
	return nil
}

// Open implements fs.FS. There is one folder.
func (t *FS) Open(name string) (fs.File, error) {
	if name == "." {
		return &folder{left: t.list()}, nil
	}
	of, ok := t.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return file{io.NewSectionReader(t.archive, of.offset, of.size), of}, nil
}

// list is all files, in the order of their names.
func (t *FS) list() []fs.DirEntry {
	var list []fs.DirEntry
	for _, of := range t.files {
		list = append(list, fs.FileInfoToDirEntry(of))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// folder is the open folder.
type folder struct{ left []fs.DirEntry }

func (f *folder) Stat() (fs.FileInfo, error) { return folderInfo{entry{name: "."}}, nil }
func (f *folder) Close() error               { return nil }

func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: ".", Err: errors.New("is a folder")}
}

// ReadDir implements fs.ReadDirFile.
func (f *folder) ReadDir(n int) (list []fs.DirEntry, err error) {
	if n > 0 && len(f.left) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.left) {
		n = len(f.left)
	}
	list, f.left = f.left[:n], f.left[n:]
	return list, nil
}

// folderInfo is the information on the folder.
type folderInfo struct{ entry }

func (folderInfo) Mode() fs.FileMode { return fs.ModeDir | 0o555 }
func (folderInfo) IsDir() bool       { return true }

// file is an open file of the archive.
type file struct {
	*io.SectionReader
	of entry
}

func (f file) Stat() (fs.FileInfo, error) { return f.of, nil }
func (f file) Close() error               { return nil }

// An entry is its own fs.FileInfo.
func (e entry) Name() string       { return e.name }
func (e entry) Size() int64        { return e.size }
func (e entry) Mode() fs.FileMode  { return 0o444 }
func (e entry) ModTime() time.Time { return time.Time{} }
func (e entry) IsDir() bool        { return false }
func (e entry) Sys() any           { return nil }
