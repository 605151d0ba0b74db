// Package helmtest packs charts for tests.
package helmtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
)

// Pack packs a chart's folder as helm package does.
func Pack(folder fs.FS) ([]byte, error) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(folder, path)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: "chart/" + path, Mode: 0o644, Size: int64(len(content))}
		if err := packed.WriteHeader(header); err != nil {
			return err
		}
		_, err = packed.Write(content)
		return err
	})
	if err := errors.Join(err, packed.Close(), zipped.Close()); err != nil {
		return nil, fmt.Errorf("pack a chart: %w", err)
	}
	return out.Bytes(), nil
}
