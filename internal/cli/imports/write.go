package imports

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report/figures"
)

// ending of the documents' names. A file may be JSON itself, and must not be written over.
const ending = ".imported.json"

// writeAll writes a document for each file to the folder.
func writeAll(told io.Writer, folder string, files []string, documents []*imported.Imported) error {
	taken := map[string]string{}
	for i, d := range documents {
		name := stem(d.Source.File) + ending
		if other, is := taken[name]; is {
			return fmt.Errorf("%s and %s would both be %s: import them to two folders", other, files[i], name)
		}
		taken[name] = files[i]
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i, d := range documents {
		document, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return err
		}
		path := filepath.Join(folder, stem(d.Source.File)+ending)
		err = output.File(path, func(to io.Writer) error {
			_, err := to.Write(append(document, '\n'))
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(told, "%s is an output of %s. Its figures are in %s.\n", files[i], d.Tool, path)
	}
	return nil
}

// tables prints the documents for people.
func tables(documents []*imported.Imported) func(io.Writer) error {
	return func(to io.Writer) error {
		for i, d := range documents {
			if i > 0 {
				fmt.Fprintln(to)
			}
			if err := table(to, d); err != nil {
				return err
			}
		}
		return nil
	}
}

// table prints the figures, and then what has to be known beside them.
func table(to io.Writer, d *imported.Imported) error {
	validity := "validity not known"
	if d.NotValid() {
		validity = "not valid"
	}
	fmt.Fprintf(to, "%s, imported from %s: %s\n", d.Source.File, d.Tool, validity)
	var rows [][]string
	for i := range d.Operations {
		o := &d.Operations[i]
		head := []string{o.Operation, whole(o.Count), whole(o.Errors), figure(o.Throughput, 1, figures.PerSecond)}
		if len(o.Latencies) == 0 {
			rows = append(rows, append(head, make([]string, len(header)-len(head))...))
		}
		for j := range o.Latencies {
			l := &o.Latencies[j]
			row := append(append([]string{}, head...), l.Time)
			for _, micros := range []*float64{l.MeanMicros, l.P50Micros, l.P90Micros, l.P95Micros, l.P99Micros, l.P999Micros, l.MaxMicros} {
				row = append(row, figure(micros, 1e-6, figures.Seconds))
			}
			rows = append(rows, row)
		}
	}
	if err := output.Columns(to, header, rows); err != nil {
		return err
	}
	if d.Throughput != nil {
		fmt.Fprintf(to, "All together: %s\n", figure(d.Throughput, 1, figures.PerSecond))
	}
	for _, n := range d.NotKnown {
		fmt.Fprintln(to, n.String())
	}
	for _, remark := range d.Remarks {
		fmt.Fprintln(to, remark)
	}
	return nil
}

var header = []string{"OPERATION", "COUNT", "FAILED", "THROUGHPUT", "TIME", "MEAN", "P50", "P90", "P95", "P99", "P99.9", "MAX"}

// figure is one with its unit; "" for one that isn't known.
func figure(value *float64, factor float64, unit string) string {
	if value == nil {
		return ""
	}
	return figures.Text(*value*factor, unit)
}

func whole(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
