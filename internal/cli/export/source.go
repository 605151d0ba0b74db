package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/export/tarfs"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// maxReportBytes bounds a report. One of a day has 15 MB.
const maxReportBytes = 256 << 20

// source is what is exported.
type source struct {
	name   string // for people
	report *report.Report
	input  *read.Input // nil if there is a report alone
	files  fs.FS       // the bundle's; nil like input
	closer []func() error
}

func (s *source) close() (err error) {
	for _, closer := range s.closer {
		err = errors.Join(err, closer())
	}
	return err
}

// open finds what the user names. It looks at the text alone, as compare does, so that a file that happens to be there changes
// nothing.
func (o *options) open(ctx context.Context, e *env.Env, subject string) (*source, error) {
	if !isPath(subject) {
		s, err := o.fetch(ctx, e, subject)
		if _, there := os.Stat(subject); errors.Is(err, inventory.ErrNotFound) && there == nil {
			return nil, fmt.Errorf("%w\nthe file of that name is ./%s", err, subject)
		}
		return s, err
	}
	info, err := os.Stat(subject)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return openFolder(subject)
	}
	return openFile(subject, o.format)
}

// isPath says that the subject is a file or a folder of this machine, and not the name of a run.
func isPath(subject string) bool {
	return filepath.IsAbs(subject) || subject == "." || subject == ".." || strings.HasPrefix(subject, "./") || strings.HasPrefix(subject, "../") ||
		strings.HasSuffix(subject, ".tar") || strings.HasSuffix(subject, ".json")
}

// bundleIn is the folder of the bundle: the folder itself, or bundle/ in it, where --keep puts it. "" if it has none.
func bundleIn(folder string) string {
	for _, candidate := range []string{folder, filepath.Join(folder, "bundle")} {
		if _, err := os.Stat(filepath.Join(candidate, bundle.PlanFile)); err == nil {
			return candidate
		}
	}
	return ""
}

func openFolder(path string) (*source, error) {
	folder := bundleIn(path)
	if folder == "" {
		return nil, fmt.Errorf("%s is no bundle: it has no %s; kubectl kvbench run --keep DIR makes one", path, bundle.PlanFile)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	s := &source{name: path, files: root.FS(), closer: []func() error{root.Close}}
	return s, s.readBundle()
}

// openFile opens a tar archive, or a report for a format that needs no more.
func openFile(path string, f format) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{name: path, closer: []func() error{file.Close}}
	files, notTar := tarfs.Open(file)
	if notTar == nil {
		s.files = files
		return s, s.readBundle()
	}
	if !strings.HasSuffix(path, ".json") {
		return nil, errors.Join(fmt.Errorf("%s is no bundle: %w; write one with kubectl kvbench report NAME --bundle FILE", path, notTar), s.close())
	}
	if f.bundled() {
		return nil, errors.Join(fmt.Errorf("%s is a report, and a report has no histograms: give the bundle for the format %s; kubectl kvbench report NAME --bundle FILE writes it", path, f), s.close())
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.report, err = readReport(file); err != nil {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", path, err), s.close())
	}
	return s, nil
}

// readBundle reads the bundle. Its report is the one that the results server made, if it is in the bundle.
func (s *source) readBundle() error {
	err := s.readFiles()
	if err != nil {
		return errors.Join(fmt.Errorf("reading the bundle %s: %w", s.name, err), s.close())
	}
	return nil
}

func (s *source) readFiles() (err error) {
	if s.input, err = read.Bundle(s.files); err != nil {
		return err
	}
	file, err := s.files.Open(bundle.ReportFile)
	if errors.Is(err, fs.ErrNotExist) {
		s.report, err = compute.Merge(s.input)
		return err
	}
	if err != nil {
		return err
	}
	defer file.Close()
	s.report, err = readReport(file)
	return err
}

func readReport(from io.Reader) (*report.Report, error) {
	document, err := io.ReadAll(io.LimitReader(from, maxReportBytes+1))
	if err != nil {
		return nil, err
	}
	if len(document) > maxReportBytes {
		return nil, fmt.Errorf("a report of more than %d bytes", maxReportBytes)
	}
	made := &report.Report{}
	if err := json.Unmarshal(document, made); err != nil {
		return nil, fmt.Errorf("it is no report of a run: %w", err)
	}
	if made.Format != report.Format {
		return nil, fmt.Errorf("it is no report of a run, or one of another version: its format is %d, and this program knows %d (see kubectl kvbench version)", made.Format, report.Format)
	}
	return made, nil
}

// fetch gets a run from the results server: its bundle, or its report alone if that is enough.
func (o *options) fetch(ctx context.Context, e *env.Env, reference string) (*source, error) {
	cluster, err := e.Flags.Connect()
	if err != nil {
		return nil, err
	}
	results := cluster.Results()
	defer results.Close()
	entry, err := inventory.Find(ctx, cluster, results, reference, o.uid)
	if err != nil {
		return nil, err
	}
	switch {
	case entry.Kind != inventory.Run:
		return nil, fmt.Errorf("%s is no run: export its runs one by one, kubectl kvbench report %s names them", entry.Reference(), entry.Reference())
	case !entry.Reported:
		return nil, fmt.Errorf("%s has no report yet: it is %s", entry.Reference(), entry.Phase)
	}
	s := &source{name: entry.Reference()}
	if !o.format.bundled() {
		document, err := results.Get(ctx, entry.Location()+forward.Report)
		if err != nil {
			return nil, err
		}
		if s.report, err = readReport(strings.NewReader(string(document))); err != nil {
			return nil, fmt.Errorf("reading the report of %s: %w", s.name, err)
		}
		return s, nil
	}
	file, err := os.CreateTemp("", "kvbench-bundle-*.tar")
	if err != nil {
		return nil, err
	}
	s.closer = []func() error{file.Close, func() error { return os.Remove(file.Name()) }}
	fmt.Fprintf(e.Err, "Fetching the raw data of %s.\n", s.name)
	if err := results.GetTo(ctx, entry.Location()+forward.Bundle, file); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.files, err = tarfs.Open(file); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the bundle of %s: %w", s.name, err), s.close())
	}
	return s, s.readBundle()
}
