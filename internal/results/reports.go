package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// MergeFunc makes the report of a bundle. The same bundle gives the same bytes.
type MergeFunc func(bundle fs.FS) (document, markdown []byte, err error)

// putFaults replaces the controller's record of the faults. It may say the same again
// after the report, as it does when it was killed in between.
func (r *run) putFaults(lines []byte) error {
	for line := range bytes.Lines(lines) {
		var fault bundle.FaultLine
		if err := json.Unmarshal(line, &fault); err != nil {
			return refuse(wire.ReasonInvalid, "the faults have a line that is none: %v", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	held, err := os.ReadFile(r.path(bundle.FaultsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && bytes.Equal(held, lines) {
		return r.confirm(bundle.FaultsFile)
	}
	if err := r.open(); err != nil {
		return err
	}
	if err := r.doubts.judge(bundle.FaultsFile, r.disk.replace(r.dir, bundle.FaultsFile, bytes.NewReader(lines))); err != nil {
		return err
	}
	r.bytes += int64(len(lines) - len(held))
	r.touched = r.now()
	return nil
}

// report gives the run's report, which the first request that succeeds makes. From the
// begin of the merge no file grows, so the report can be made again from what is kept.
func (r *run) report(merge MergeFunc) ([]byte, error) {
	r.merging.Lock()
	defer r.merging.Unlock()
	if err := r.close(); err != nil {
		return nil, err
	}
	defer r.reopen()
	document, err := os.ReadFile(r.path(bundle.ReportFile))
	if err == nil {
		return document, r.confirm(bundle.ReportFile)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := r.syncFiles(); err != nil {
		return nil, err
	}
	document, markdown, err := mergeSafely(merge, os.DirFS(r.dir))
	if err != nil {
		return nil, refuse(wire.ReasonUnmergeable, "the bundle of run %s gives no report: %v", r.uid, err)
	}
	// The JSON comes last: it is what makes the run a reported one.
	if err := r.disk.replace(r.dir, bundle.MarkdownFile, bytes.NewReader(markdown)); err != nil {
		return nil, err
	}
	if err := r.doubts.judge(bundle.ReportFile, r.disk.createOnce(r.dir, bundle.ReportFile, document)); err != nil {
		return nil, err
	}
	return document, nil
}

func (r *run) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return refuse(wire.ReasonNotFound, "the run %s is no longer kept", r.uid)
	}
	r.closing = true
	return nil
}

// reopen ends the merge: the run takes bytes again unless it has its report.
func (r *run) reopen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = false
	if length, exists, err := fileLength(r.path(bundle.ReportFile)); err == nil && exists && !r.reported {
		r.reported = true
		r.bytes += length
		r.touched = r.now()
	}
}

// syncFiles makes the files durable that never got an end mark, those of lost pods.
func (r *run) syncFiles() error {
	state, err := r.state()
	if err != nil {
		return err
	}
	for _, file := range state.Files {
		if file.Ended {
			continue
		}
		if err := r.settleFile(file.Name); err != nil {
			return err
		}
	}
	return r.disk.syncDir(r.dir)
}

// mergeSafely turns a panic into an error: the files are hostile input, and the run's
// owner must learn that they are the cause.
func mergeSafely(merge MergeFunc, files fs.FS) (document, markdown []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the merge panicked: %v", cause)
		}
	}()
	return merge(files)
}
