package ycsb

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/workload"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

// The formats of an export.
const (
	FormatText        = "ycsb-text"
	FormatJSON        = "ycsb-json"         // an array
	FormatJSONObjects = "ycsb-json-objects" // one after the other
	FormatHlog        = "hlog"              // HdrHistogram interval log 1.3
	FormatCSV         = "csv"               // by second
)

var formats = []string{FormatText, FormatJSON, FormatJSONObjects, FormatHlog, FormatCSV}

// ofExporter are the formats of YCSB's exporters.
var ofExporter = map[string]string{
	workload.ExporterText: FormatText, workload.ExporterJSONArray: FormatJSON, workload.ExporterJSON: FormatJSONObjects,
}

// export is one output; file "" is standard output.
type export struct{ format, file string }

// parseExports takes format or format=file of each --export. Without any, and beside them
// when they are set, count the properties exporter and exportfile.
func parseExports(options []string, all map[string]string, c *workload.Client) ([]export, error) {
	var exports []export
	for _, option := range options {
		format, file, named := strings.Cut(option, "=")
		if !slices.Contains(formats, format) {
			return nil, fmt.Errorf("--export %q: must be one of %s, and may be followed by =file", option, strings.Join(formats, ", "))
		}
		if named && file == "" {
			return nil, fmt.Errorf("--export %q: names no file after =", option)
		}
		exports = append(exports, export{format, file})
	}
	_, exporter := all["exporter"]
	_, file := all["exportfile"]
	if len(exports) == 0 || exporter || file {
		exports = append(exports, export{ofExporter[c.Exporter], c.ExportFile})
	}
	seen := map[string]bool{}
	for _, e := range exports {
		if seen[e.file] && e.file == "" {
			return nil, errors.New("two exports go to standard output: give all but one a file, as in --export csv=out.csv")
		}
		if seen[e.file] {
			return nil, fmt.Errorf("two exports go to the file %s", e.file)
		}
		seen[e.file] = true
	}
	return exports, nil
}

// outputs are the opened files of exports, so that one that can't be written is known
// before anything is measured. What they held before stays until there is something new.
type outputs struct {
	exports []export
	to      []io.Writer
	files   []*os.File
}

func openExports(exports []export, standard io.Writer) (*outputs, error) {
	o := &outputs{exports: exports}
	for _, e := range exports {
		if e.file == "" {
			o.to = append(o.to, standard)
			continue
		}
		file, err := os.OpenFile(e.file, os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			o.files = append(o.files, file)
			err = o.onlyOnce(file)
		}
		if err != nil {
			return nil, errors.Join(Refuse("open the file of an export: %w", err), o.close())
		}
		o.to = append(o.to, file)
	}
	return o, nil
}

// onlyOnce refuses the last file if it is one of the others under another name.
func (o *outputs) onlyOnce(last *os.File) error {
	info, err := last.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // two may go to a terminal
	}
	for _, file := range o.files[:len(o.files)-1] {
		other, err := file.Stat()
		if err != nil {
			return err
		}
		if os.SameFile(info, other) {
			return fmt.Errorf("%s and %s are the same file", file.Name(), last.Name())
		}
	}
	return nil
}

// empty removes what the files held before.
func (o *outputs) empty() error {
	for _, file := range o.files {
		info, err := file.Stat()
		if err == nil && info.Mode().IsRegular() {
			err = file.Truncate(0)
		}
		if err != nil {
			return fmt.Errorf("empty the file of an export: %w", err)
		}
	}
	return nil
}

func (o *outputs) close() (err error) {
	for _, file := range o.files {
		err = errors.Join(err, file.Close())
	}
	return err
}

// write writes all exports of a run.
func (o *outputs) write(r *run, f *figures) (err error) {
	if err := o.empty(); err != nil {
		return err
	}
	for i, e := range o.exports {
		var failed error
		switch e.format {
		case FormatText:
			_, failed = o.to[i].Write(f.Text(r.client))
		case FormatJSON:
			_, failed = o.to[i].Write(f.JSONArray(r.client))
		case FormatJSONObjects:
			_, failed = o.to[i].Write(f.JSONObjects(r.client))
		case FormatHlog:
			failed = copyFile(o.to[i], r, bundle.Hlog)
		case FormatCSV:
			failed = r.recording().WriteCSV(o.to[i], r.client.Percentiles)
		}
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("export %s: %w", e.format, failed))
		}
	}
	return err
}

// copyFile copies a file of the bundle as it is.
func copyFile(to io.Writer, r *run, kind string) error {
	file, err := r.files().Open(r.writer().File(kind))
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(to, file)
	return err
}

// openRaw opens what measurementtype=raw prints operations to; YCSB appends to its file.
func (s *Settings) openRaw(standard io.Writer) (to io.Writer, done func() error, err error) {
	if !measurements.WantsRaw(s.client) || s.client.RawFile == "" {
		return standard, func() error { return nil }, nil
	}
	file, err := os.OpenFile(s.client.RawFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, Refuse("measurement.raw.output_file: %w", err)
	}
	return file, file.Close, nil
}

// checkHdrPath refuses a path of hdrhistogram.fileoutput in whose folder nothing can be written, before
// anything is measured.
func checkHdrPath(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path+"READ"), ".kvbench-")
	if err != nil {
		return Refuse("hdrhistogram.output.path=%s: %w", path, err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
