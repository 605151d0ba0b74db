package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

// Limits of an archive: a bundle of a week's run is below them.
const (
	maxFiles = 10_000
	maxBytes = 64 << 30
)

// unpack writes the plain files of a tar into dir. A bundle has no folders, so nothing
// in an archive can choose where it is written.
func unpack(ctx context.Context, archive, dir string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	reader := tar.NewReader(&endingReader{ctx: ctx, from: file})
	// A sparse file may claim to be larger than the archive that holds it.
	left := min(maxBytes, info.Size())
	for count := 0; ; count++ {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Clean(header.Name)
		switch {
		case header.Typeflag == tar.TypeDir && name == ".":
			continue
		case header.Typeflag != tar.TypeReg || name != path.Base(name) || name == ".." || name == ".":
			return fmt.Errorf("%q is no plain file at the archive's root", header.Name)
		case count >= maxFiles || header.Size > left:
			return fmt.Errorf("more than %d files, or more bytes than the archive itself", maxFiles)
		}
		left -= header.Size
		if err := unpackOne(reader, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
}

func unpackOne(from io.Reader, to string) (err error) {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.Copy(file, from)
	return err
}

// endingReader reads until ctx ends.
type endingReader struct {
	ctx  context.Context
	from io.Reader
}

func (r *endingReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.from.Read(p)
}
