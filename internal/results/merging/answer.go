package merging

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results"
)

// What the process says is a tar of the report's two documents and of what its charts are drawn from, or of its trouble
// alone. A report is told before its charts are made, so that it is kept whatever becomes of them.

const (
	troubleFile      = "trouble"
	maxDocumentBytes = 256 << 20 // what a client takes
	maxChartsBytes   = 32 << 20
)

func say(out *tar.Writer, name string, content []byte) error {
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}); err != nil {
		return fmt.Errorf("tell the report: %w", err)
	}
	if _, err := out.Write(content); err != nil {
		return fmt.Errorf("tell the report: %w", err)
	}
	return nil
}

// hear gives the documents to keep. It fails with keep's error, with a *results.BadBundle, or with
// io.ErrUnexpectedEOF where the process said less than the report.
func hear(out io.Reader, keep func(name string, content io.Reader) error) error {
	archive, left := tar.NewReader(out), map[string]bool{bundle.MarkdownFile: true, bundle.ReportFile: true}
	for len(left) > 0 {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case header.Name == troubleFile:
			trouble, err := io.ReadAll(io.LimitReader(archive, maxTroubleBytes))
			if err != nil {
				return err
			}
			return &results.BadBundle{Cause: string(trouble)}
		case !left[header.Name]:
			return fmt.Errorf("the process that makes the report said %q, which is none of its documents", header.Name)
		case header.Size > maxDocumentBytes:
			return &results.BadBundle{Cause: fmt.Sprintf("its %s has more than %d MiB", header.Name, maxDocumentBytes>>20)}
		}
		if err := keep(header.Name, archive); err != nil {
			return err
		}
		delete(left, header.Name)
	}
	return hearCharts(archive, keep)
}

// hearCharts keeps the data of the charts where the process came to their end.
func hearCharts(archive *tar.Reader, keep func(name string, content io.Reader) error) error {
	header, err := archive.Next()
	if err != nil || header.Name != bundle.ChartsFile || header.Size > maxChartsBytes {
		return nil
	}
	charts, err := io.ReadAll(archive)
	if err != nil {
		return nil
	}
	return keep(bundle.ChartsFile, bytes.NewReader(charts))
}
