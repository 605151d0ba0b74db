package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// Limits of a bundle, so that a broken one can't fill the disk.
const (
	maxBundleFiles = 10_000
	maxBundleBytes = 16 << 30
)

// keep prints the report, and writes it and the bundle to the folder.
func keep(ctx context.Context, s *screen, results *link, run *v1alpha1.BenchmarkRun, out string) error {
	location := forward.Location(string(run.UID))
	asJSON, err := results.Fetch(ctx, location+forward.Report)
	if err != nil {
		return err
	}
	markdown, err := results.Fetch(ctx, location+forward.Markdown)
	if err != nil {
		return err
	}
	bundle, err := results.Fetch(ctx, location+forward.Bundle)
	if err != nil {
		return err
	}
	if err := write(out, asJSON, markdown, bundle); err != nil {
		return fmt.Errorf("writing the results to %s: %w", out, err)
	}
	parsed := &report.Report{}
	if err := json.Unmarshal(asJSON, parsed); err != nil {
		return fmt.Errorf("reading the report: %w", err)
	}
	s.Say("\n%s", render.Table(parsed))
	s.Say("Report: %s and report.md; raw data: %s", filepath.Join(out, "report.json"), filepath.Join(out, "bundle"))
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
