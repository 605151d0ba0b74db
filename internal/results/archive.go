package results

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/remotewrite"
)

// archive writes the run's files as a tar, in the order of their names. A file that grows
// meanwhile is in it with the length it had when its turn came.
func (r *run) archive(to io.Writer) error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(to)
	for _, entry := range entries {
		if isTemp(entry.Name()) || strings.HasSuffix(entry.Name(), failedSyncSuffix) || entry.Name() == remotewrite.MarkFile {
			continue
		}
		if err := addFile(archive, r.path(entry.Name()), entry.Name()); err != nil {
			return fmt.Errorf("archive %s of run %s: %w", entry.Name(), r.uid, err)
		}
	}
	return archive.Close()
}

func addFile(archive *tar.Writer, path, name string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Name: name, Mode: 0o644, Size: info.Size(), ModTime: info.ModTime(), Format: tar.FormatPAX}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.CopyN(archive, file, info.Size())
	return err
}

// served are the single files that have an address of their own, with their types.
var served = map[string]string{
	bundle.ReportFile:   "application/json",
	bundle.MarkdownFile: "text/markdown; charset=utf-8",
	bundle.ChartsFile:   "application/json",
}
