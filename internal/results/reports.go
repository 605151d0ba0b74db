package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// MergeFunc makes the report of the bundle in a folder, and gives its documents to keep, which are
// bundle.MarkdownFile, bundle.ReportFile and, where there are charts, bundle.ChartsFile. The same bundle gives the same bytes. Its error is a
// *BadBundle where the bundle is the cause.
type MergeFunc func(ctx context.Context, folder string, keep func(name string, content io.Reader) error) error

// BadBundle says why a bundle gives no report.
type BadBundle struct{ Cause string }

func (b *BadBundle) Error() string { return b.Cause }

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
	if err := r.failedSyncs.note(bundle.FaultsFile, r.disk.replace(r.dir, bundle.FaultsFile, bytes.NewReader(lines))); err != nil {
		return err
	}
	r.bytes += int64(len(lines) - len(held))
	r.touched = r.ages.now()
	return nil
}

// putEnvironment keeps where the run's pods were. The first document stays: a controller that was killed asks again when some of
// the pods may be gone.
func (r *run) putEnvironment(document []byte) error {
	if err := json.Unmarshal(document, &bundle.Environment{}); err != nil {
		return refuse(wire.ReasonInvalid, "the environment is none: %v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, held, err := fileLength(r.path(bundle.EnvironmentFile)); err != nil {
		return err
	} else if held {
		return r.confirm(bundle.EnvironmentFile)
	}
	if r.reported {
		return nil // by a version that knew none: it is too late for one, and no harm
	}
	if err := r.open(); err != nil {
		return err
	}
	if err := r.failedSyncs.note(bundle.EnvironmentFile, r.disk.createOnce(r.dir, bundle.EnvironmentFile, document)); err != nil {
		return err
	}
	r.bytes += int64(len(document))
	r.touched = r.ages.now()
	return nil
}

// report makes the run's report, unless it has one. From the begin of the merge no file grows, so
// the report can be made again from what is kept. One caller at a time makes it.
func (r *run) report(ctx context.Context, merge MergeFunc) error {
	if err := r.close(); err != nil {
		return err
	}
	defer r.reopen()
	_, exists, err := fileLength(r.path(bundle.ReportFile))
	if err != nil {
		return err
	}
	if exists {
		return r.confirm(bundle.ReportFile)
	}
	if err := r.syncFiles(); err != nil {
		return err
	}
	return r.keepReport(ctx, merge)
}

func (r *run) hasReport() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reported
}

// keepReport keeps what the merge makes, whole or not at all.
func (r *run) keepReport(ctx context.Context, merge MergeFunc) error {
	temps := map[string]string{} // by the name that each is to get
	defer func() {
		for _, temp := range temps {
			os.Remove(temp)
		}
	}()
	// Those of a merge that came to nothing are of no report.
	if err := os.Remove(r.path(bundle.ChartsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := merge(ctx, r.dir, func(name string, content io.Reader) error {
		temp, err := r.disk.writeTemp(r.dir, content)
		if err == nil {
			temps[name] = temp
		} else if name == bundle.ChartsFile {
			return nil // the report fits where its charts don't
		}
		return err
	})
	var bad *BadBundle
	if errors.As(err, &bad) {
		return refuse(wire.ReasonUnmergeable, "the bundle of run %s gives no report: %s", r.uid, bad.Cause)
	}
	if err != nil {
		return err
	}
	if charts, are := temps[bundle.ChartsFile]; are {
		if err := r.disk.rename(charts, r.dir, bundle.ChartsFile); err != nil {
			return err
		}
	}
	// The JSON comes last: it is what makes the run a reported one.
	if err := r.disk.rename(temps[bundle.MarkdownFile], r.dir, bundle.MarkdownFile); err != nil {
		return err
	}
	return r.failedSyncs.note(bundle.ReportFile, r.disk.link(temps[bundle.ReportFile], r.dir, bundle.ReportFile))
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
		if charts, has, err := fileLength(r.path(bundle.ChartsFile)); err == nil && has {
			r.bytes += charts
		}
		r.touched = r.ages.now()
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

// fingerprints gives that of what an attempt measured, by the plan of its run; "" of a run without a report. It reads a run that
// several combinations share once.
func (s *Server) fingerprints() func(*manifest.Attempt) (string, error) {
	known := map[string]map[string]string{} // of shared runs, by UID and prefix
	return func(attempt *manifest.Attempt) (string, error) {
		parts, is := known[attempt.UID]
		if is {
			return parts[attempt.Prefix], nil
		}
		made, err := s.reportOf(attempt.UID)
		switch {
		case err != nil:
			return "", err
		case made != nil && attempt.Prefix == "":
			return made.Plan.Fingerprint, nil
		case made != nil:
			if parts, err = s.fingerprintsOf(attempt.UID); err != nil {
				return "", err
			}
		}
		known[attempt.UID] = parts
		return parts[attempt.Prefix], nil
	}
}

// fingerprintsOf are those of the parts of a run, by the prefixes that its workloads may have; none of a run that is gone by now.
func (s *Server) fingerprintsOf(uid string) (map[string]string, error) {
	r, ok := s.registry.find(uid)
	if !ok {
		return nil, nil
	}
	whole, err := readJSON[plan.Plan](r.path(bundle.PlanFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	parts := map[string]string{}
	for i := range whole.Workloads {
		before, _, is := strings.Cut(whole.Workloads[i].Name, "-")
		if prefix := before + "-"; is && parts[prefix] == "" {
			if parts[prefix], err = whole.Part(prefix).Fingerprint(); err != nil {
				return nil, err
			}
		}
	}
	return parts, nil
}

// reportOf is a run's report; nil if it isn't kept, or can't be used any more.
func (s *Server) reportOf(uid string) (*report.Report, error) {
	r, ok := s.registry.find(uid)
	if !ok || !r.hasReport() {
		return nil, nil
	}
	made, err := readReport(r)
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, &path):
		return nil, err // of the disk
	case err != nil:
		s.config.Log.Error("a run's report can't be read, so suites are without it", "run", uid, "error", err)
		return nil, nil
	}
	if made.Format != report.Format {
		return nil, nil
	}
	return made, nil
}
