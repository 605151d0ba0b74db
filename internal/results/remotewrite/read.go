package remotewrite

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kvbench/kvbench/internal/bundle"
)

// unusable says why a run has no figures to send.
type unusable struct{ cause error }

func (u *unusable) Error() string { return u.cause.Error() }

// maxDocument bounds what is read of a document, in bytes. An hour's charts take some two million.
const maxDocument = 64 << 20

// read makes the series of the run in a folder; none of a run without charts. Its error is an *unusable where the documents are
// the cause.
func read(folder string) ([]series, error) {
	var of about
	if err := decode(filepath.Join(folder, bundle.ReportFile), &of); err != nil {
		return nil, err
	}
	var from columns
	err := decode(filepath.Join(folder, bundle.ChartsFile), &from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := seriesOf(&of, &from)
	if err != nil {
		return nil, &unusable{err}
	}
	return all, nil
}

func decode(path string, into any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := json.NewDecoder(io.LimitReader(file, maxDocument)).Decode(into); err != nil {
		return &unusable{fmt.Errorf("%s can't be read: %w", filepath.Base(path), err)}
	}
	return nil
}
