// Package keep writes what the results server has of a run into a folder.
package keep

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// Limits of a bundle, so that a broken one can't fill the disk.
const (
	maxBundleFiles = 10_000
	maxBundleBytes = 16 << 30
)

// Fetch writes a run's report and its bundle to the folder, in the place of an earlier run's.
func Fetch(ctx context.Context, results *kube.Results, uid, folder string) error {
	location := forward.Location(uid)
	var documents [3][]byte
	for i, path := range []string{forward.Report, forward.Markdown, forward.Bundle} {
		var err error
		if documents[i], err = results.Get(ctx, location+path); err != nil {
			return err
		}
	}
	if err := write(folder, documents[0], documents[1], documents[2]); err != nil {
		return fmt.Errorf("writing the results to %s: %w", folder, err)
	}
	return nil
}

// write replaces what an earlier run left in the folder, and nothing else.
func write(out string, asJSON, markdown, bundle []byte) error {
	folder := filepath.Join(out, "bundle")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "report.json"), asJSON, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "report.md"), markdown, 0o644); err != nil {
		return err
	}
	return untar(bytes.NewReader(bundle), folder)
}

// untar unpacks plain files with plain names, and refuses everything else: what is in
// the archive came over a network.
func untar(archive io.Reader, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	reader, left := tar.NewReader(archive), int64(maxBundleBytes)
	for n := 0; ; n++ {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpacking the bundle: %w", err)
		}
		left -= header.Size
		switch {
		case header.Typeflag != tar.TypeReg:
			return fmt.Errorf("unpacking the bundle: %q is not a plain file", header.Name)
		case header.Name != filepath.Base(header.Name) || !filepath.IsLocal(header.Name) || header.Name == ".":
			return fmt.Errorf("unpacking the bundle: %q is not a plain file name", header.Name)
		case n >= maxBundleFiles || left < 0:
			return fmt.Errorf("unpacking the bundle: more than %d files or %d bytes", maxBundleFiles, int64(maxBundleBytes))
		}
		if err := writeEntry(root, header.Name, reader); err != nil {
			return err
		}
	}
}

func writeEntry(root *os.Root, name string, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
