// Package keep writes what the results server has of a run into a folder.
package keep

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	runpage "github.com/kvbench/kvbench/internal/cli/page"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// Limits of a bundle, so that a broken one can't fill the disk.
const (
	maxBundleFiles = 10_000
	maxBundleBytes = 16 << 30
)

// server is where the documents are; GetTo writes one that may be large as it comes.
type server interface {
	Get(ctx context.Context, path string) ([]byte, error)
	GetTo(ctx context.Context, path string, to io.Writer) error
}

// Fetch writes a run's report and its bundle to the folder, in the place of an earlier run's. It replaces those when all has come.
func Fetch(ctx context.Context, results server, uid, folder string) error {
	if err := checkOwn(filepath.Join(folder, bundleFolder)); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	fetched, err := os.MkdirTemp(folder, ".fetched-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fetched)
	if err := fetch(ctx, results, forward.Location(uid), fetched); err != nil {
		return err
	}
	if err := replace(fetched, folder); err != nil {
		return fmt.Errorf("writing the results to %s: %w", folder, err)
	}
	return nil
}

// Names in the folder.
const (
	bundleFolder = "bundle"
	asJSON       = "report.json"
	asMarkdown   = "report.md"
	asPage       = "report.html"
	asCharts     = "charts.json" // some runs have none
	planFile     = "plan.json"   // each bundle has one
)

// checkOwn refuses a folder that isn't an earlier run's, since it will be replaced.
func checkOwn(bundle string) error {
	entries, err := os.ReadDir(bundle)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(bundle, planFile)); err != nil {
		return fmt.Errorf("the folder %s is there, and is no bundle of an earlier run: name another folder", bundle)
	}
	return nil
}

func fetch(ctx context.Context, results server, location, folder string) error {
	report, err := results.Get(ctx, location+forward.Report)
	if err != nil {
		return err
	}
	markdown, err := results.Get(ctx, location+forward.Markdown)
	if err != nil {
		return err
	}
	charts, err := runpage.Charts(ctx, results, location)
	if err != nil {
		return err
	}
	html, err := page.Run(report, charts)
	if err != nil {
		return err
	}
	documents := map[string][]byte{asJSON: report, asMarkdown: markdown, asPage: html}
	if charts != nil {
		documents[asCharts] = charts
	}
	for name, document := range documents {
		if err := os.WriteFile(filepath.Join(folder, name), document, 0o644); err != nil {
			return err
		}
	}
	unpacked := filepath.Join(folder, bundleFolder)
	if err := os.Mkdir(unpacked, 0o755); err != nil {
		return err
	}
	reading, writing := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		writing.CloseWithError(results.GetTo(ctx, location+forward.Bundle, writing))
	}()
	err = untar(reading, unpacked)
	if err == nil {
		_, err = io.Copy(io.Discard, reading) // what is behind the last file
	}
	reading.CloseWithError(err) // has the download end, if it hasn't
	<-done
	return err
}

// replace puts what was fetched in the place of what an earlier run left, and of nothing else.
func replace(fetched, folder string) error {
	for _, name := range []string{bundleFolder, asCharts} {
		if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	for _, name := range []string{asJSON, asMarkdown, asPage, bundleFolder, asCharts} {
		err := os.Rename(filepath.Join(fetched, name), filepath.Join(folder, name))
		if err != nil && !(name == asCharts && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return nil
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
