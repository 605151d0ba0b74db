package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

// destination is where documents go: a folder, or standard output where it is "".
type destination struct {
	folder   string
	standard io.Writer
}

// put has write write one document. The name is of a workload, and a report that comes from anywhere may call it anything.
func (d *destination) put(name string, write func(io.Writer) error) error {
	if d.folder == "" {
		return write(d.standard)
	}
	if name != filepath.Base(name) || !filepath.IsLocal(name) || text.Clean(name) != name {
		return fmt.Errorf("%q is no name of a file: leave out --dir", name)
	}
	if err := os.MkdirAll(d.folder, 0o755); err != nil {
		return err
	}
	return output.File(filepath.Join(d.folder, name), write) // half a document looks like a whole one
}

// putBytes writes a document that is there already.
func (d *destination) putBytes(name string, document []byte) error {
	return d.put(name, func(to io.Writer) error {
		_, err := to.Write(document)
		return err
	})
}

// write writes the workloads in a format.
func write(to *destination, from *source, f format, chosen []*report.Workload) error {
	if f == figuresCSV {
		return to.put("figures.csv", func(w io.Writer) error { return writeFigures(w, from.report, chosen) })
	}
	for _, w := range chosen {
		m, err := from.measure(w)
		if err == nil {
			err = m.write(to, from.report, f, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes one workload.
func (m *measured) write(to *destination, made *report.Report, f format, w *report.Workload) error {
	switch f {
	case ycsbText:
		return to.putBytes(w.Name+f.ending(), m.figures.Text(m.client))
	case ycsbJSON:
		return to.putBytes(w.Name+f.ending(), append(m.figures.JSONArray(m.client), '\n'))
	case secondsCSV:
		valid := measurements.Column{Name: "valid", Value: strconv.FormatBool(made.Valid)}
		return to.put(w.Name+"-seconds"+f.ending(), func(out io.Writer) error { return m.recording.WriteCSV(out, m.client.Percentiles, valid) })
	}
	return to.put(w.Name+f.ending(), func(out io.Writer) error { return m.recording.WriteTagged(out, comments(made, w)...) })
}

// comments of an interval log say whose it is, and what spoils the numbers.
func comments(made *report.Report, w *report.Workload) []string {
	list := []string{fmt.Sprintf("kvbench: workload %s of the run %s", text.Clean(w.Name), text.Clean(made.Run.Name))}
	if !made.Valid {
		list = append(list, "kvbench: the numbers are not valid: "+reasons(made))
	}
	if w.ResponseTimeCensored {
		list = append(list, fmt.Sprintf("kvbench: %d operations never started, so the Intended latencies are lower bounds", w.NeverStarted))
	}
	if w.Saturated {
		list = append(list, "kvbench: the store was saturated, so the Intended latencies grew until the end")
	}
	return list
}

// writeFigures writes a line for each figure of the workloads, with the columns of kubectl kvbench report -o csv.
func writeFigures(to io.Writer, made *report.Report, chosen []*report.Workload) error {
	wanted := map[string]bool{}
	for _, w := range chosen {
		wanted[w.Name] = true
	}
	w := csv.NewWriter(to)
	rows := [][]string{strings.Split("namespace,run,valid,workload,operation,fault,metric,time,value,unit,censored", ",")}
	for _, f := range figures.Of(made).Figures {
		if wanted[f.Workload] {
			rows = append(rows, []string{text.Clean(made.Run.Namespace), text.Clean(made.Run.Name), strconv.FormatBool(made.Valid),
				text.Clean(f.Workload), text.Clean(f.Operation), text.Clean(f.Fault), f.Metric, f.Time,
				strconv.FormatFloat(f.Value, 'f', -1, 64), f.Unit, strconv.FormatBool(f.Censored)})
		}
	}
	return w.WriteAll(rows)
}
