// Package images builds container images without a daemon and without a
// registry, from programs and folders of this machine, and loads them into the
// nodes. The same content always gives the same digest, so that loading can
// tell what is there already.
package images

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// layer is a tar file on disk. It stays uncompressed: it travels over no
// network, and unpacking it costs the nodes less.
type layer struct {
	file   string
	digest v1.Hash
	size   int64
}

func openLayer(file string) (*layer, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return nil, err
	}
	return &layer{file, v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum.Sum(nil))}, size}, nil
}

func (l *layer) Digest() (v1.Hash, error)             { return l.digest, nil }
func (l *layer) DiffID() (v1.Hash, error)             { return l.digest, nil }
func (l *layer) Compressed() (io.ReadCloser, error)   { return os.Open(l.file) }
func (l *layer) Uncompressed() (io.ReadCloser, error) { return os.Open(l.file) }
func (l *layer) Size() (int64, error)                 { return l.size, nil }
func (l *layer) MediaType() (types.MediaType, error)  { return types.OCIUncompressedLayer, nil }

// entry is a file, link or folder in a layer.
type entry struct {
	header  tar.Header
	content []byte
	file    string
}

// contents collects a layer's entries by path in the image, so that each comes once.
type contents map[string]entry

func clean(p string) string { return strings.Trim(path.Clean("/"+p), "/") }

func (c contents) dir(p string, mode int64) {
	if p = clean(p); p == "" {
		return
	}
	c.parents(p)
	c[p] = entry{header: tar.Header{Typeflag: tar.TypeDir, Name: p + "/", Mode: mode}}
}

func (c contents) parents(p string) {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if _, there := c[dir]; !there {
			c[dir] = entry{header: tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755}}
		}
	}
}

func (c contents) text(p, content string) {
	p = clean(p)
	c.parents(p)
	c[p] = entry{header: tar.Header{Typeflag: tar.TypeReg, Name: p, Mode: 0o644, Size: int64(len(content))}, content: []byte(content)}
}

// add puts a file, or a folder with all in it, of this machine at p. Owners are
// dropped: in the image everything is root's.
func (c contents) add(p, source string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return c.file(clean(p), source, info)
	}
	return filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return c.file(clean(path.Join(p, relative)), name, info)
	})
}

func (c contents) file(p, source string, info fs.FileInfo) error {
	mode := int64(info.Mode().Perm())
	switch {
	case info.IsDir():
		c.dir(p, mode)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(source)
		if err != nil {
			return err
		}
		c.parents(p)
		c[p] = entry{header: tar.Header{Typeflag: tar.TypeSymlink, Name: p, Linkname: target, Mode: 0o777}}
	case info.Mode().IsRegular():
		c.parents(p)
		c[p] = entry{header: tar.Header{Typeflag: tar.TypeReg, Name: p, Mode: mode, Size: info.Size()}, file: source}
	default:
		return fmt.Errorf("%s is no file, folder or link", source)
	}
	return nil
}

// write makes the tar file: sorted, and without times, users or groups.
func (c contents) write(out io.Writer) error {
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	archive := tar.NewWriter(out)
	for _, name := range names {
		e := c[name]
		e.header.ModTime = time.Unix(0, 0)
		e.header.Format = tar.FormatPAX
		if err := archive.WriteHeader(&e.header); err != nil {
			return fmt.Errorf("packing %s: %w", name, err)
		}
		if e.file == "" {
			if _, err := archive.Write(e.content); err != nil {
				return err
			}
			continue
		}
		if err := copyFile(archive, e.file); err != nil {
			return fmt.Errorf("packing %s: %w", name, err)
		}
	}
	return archive.Close()
}

func copyFile(out io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(out, f)
	return err
}
