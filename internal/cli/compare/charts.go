package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
)

// chartsBeside are those that stand beside a file report.json, as `kubectl kvbench run --keep` leaves them; nil if there are none.
// Whose they are beside a file of another name, nobody knows.
func chartsBeside(report string) ([]byte, error) {
	if filepath.Base(report) != bundle.ReportFile {
		return nil, nil
	}
	path := filepath.Join(filepath.Dir(report), bundle.ChartsFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	document, err := io.ReadAll(io.LimitReader(file, source.MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the charts of %s: %w", report, err)
	case len(document) > source.MaxBytes:
		return nil, fmt.Errorf("the charts %s have more than %d MiB", path, source.MaxBytes>>20)
	case !json.Valid(document):
		return nil, fmt.Errorf("the charts %s are no JSON: remove the file, or make it again from the bundle with kvbench-loadgen report", path)
	}
	return document, nil
}
