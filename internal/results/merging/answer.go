package merging

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results"
)

// What the process says is a tar of the report's two documents, or of its trouble alone.

const (
	troubleFile      = "trouble"
	maxDocumentBytes = 256 << 20 // what a client takes
)

type part struct {
	name    string
	content []byte
}

func say(out io.Writer, parts ...part) error {
	archive := tar.NewWriter(out)
	for _, p := range parts {
		if err := archive.WriteHeader(&tar.Header{Name: p.name, Mode: 0o600, Size: int64(len(p.content))}); err != nil {
			return fmt.Errorf("tell the report: %w", err)
		}
		if _, err := archive.Write(p.content); err != nil {
			return fmt.Errorf("tell the report: %w", err)
		}
	}
	return archive.Close()
}

// hear gives the documents to keep. It fails with keep's error, with a *results.BadBundle, or with
// io.ErrUnexpectedEOF where the process said less than all.
func hear(out io.Reader, keep func(name string, content io.Reader) error) error {
	archive, left := tar.NewReader(out), map[string]bool{bundle.MarkdownFile: true, bundle.ReportFile: true}
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && len(left) == 0:
			return nil
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
}
