// Package report is the verb that prints the report of a run or a suite.
package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
	runpage "github.com/kvbench/kvbench/internal/cli/page"
	"github.com/kvbench/kvbench/internal/cli/printable"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// Formats of reports beside those of all verbs.
const (
	Markdown output.Format = "markdown"
	CSV      output.Format = "csv"
	JUnit    output.Format = "junit"
	HTML     output.Format = "html"
)

// Command prints one.
func Command(e *env.Env) *cobra.Command {
	out, uid, bundle := output.NewFlag(Markdown, CSV, JUnit, HTML), "", ""
	cmd := &cobra.Command{
		Use:   "report NAME",
		Short: "Print the report of a run or a suite, also of a deleted one",
		Long: `report prints what a run or a suite found. The results server keeps reports after the
deletion of the resource. Where several had one name, the last one counts; --uid names another.

As html it is one page with charts, which loads nothing.

The exit code is 3 if the numbers of a run are not valid.`,
		Example: `  kubectl kvbench report etcd-leader-kill
  kubectl kvbench report etcd-leader-kill -o markdown > report.md
  kubectl kvbench report etcd-leader-kill -o html > report.html
  kubectl kvbench report suite/etcd-hazelcast -o csv
  kubectl kvbench report suite/etcd-hazelcast -o html > suite.html
  kubectl kvbench report etcd-leader-kill --bundle run.tar`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.Find(cmd.Context(), args[0], uid, func(ctx context.Context, _ *kube.Cluster, results *kube.Results, entry *inventory.Entry) error {
				if bundle != "" {
					return save(ctx, e, results, entry, bundle)
				}
				valid, err := Print(ctx, e.Out, results, entry, out.Format)
				if err == nil && !valid {
					return exit.With(exit.Unknown, nil)
				}
				return err
			})
		},
	}
	out.Add(cmd.Flags())
	cmd.Flags().StringVar(&uid, "uid", "", "UID, or its begin, of one of several with the name")
	cmd.Flags().StringVar(&bundle, "bundle", "", "write the run's raw data, a tar archive, to this file in place of the report")
	return cmd
}

// getter downloads a document from the results server.
type getter interface {
	Get(ctx context.Context, path string) ([]byte, error)
}

// Print prints the report of a run or a suite in a format. valid is false if it is of a run whose numbers are not valid.
func Print(ctx context.Context, to io.Writer, results getter, entry *inventory.Entry, format output.Format) (valid bool, err error) {
	if !entry.Reported && entry.Phase == "Failed" {
		return false, fmt.Errorf("%[1]s has failed, and has no report: kubectl kvbench -n %[2]s get %[1]s says why", entry.Reference(), entry.Namespace)
	}
	if !entry.Reported {
		return false, fmt.Errorf("%s has no report yet: it is %s", entry.Reference(), entry.Phase)
	}
	if entry.Kind == inventory.Suite {
		return true, printSuite(ctx, to, results, entry, format)
	}
	return printRun(ctx, to, results, entry, format)
}

func printSuite(ctx context.Context, to io.Writer, results getter, entry *inventory.Entry, format output.Format) error {
	document := map[output.Format]string{output.Table: "suite.md", Markdown: "suite.md", CSV: "suite.csv", JUnit: "junit.xml",
		output.JSON: "suite.json", output.YAML: "suite.json", HTML: "suite.json"}[format]
	content, err := results.Get(ctx, entry.Location()+"/"+document)
	if err != nil {
		return err
	}
	if format == HTML {
		if content, err = page.Suite(content); err == nil {
			_, err = to.Write(content)
		}
		return err
	}
	return write(to, content, format)
}

func printRun(ctx context.Context, to io.Writer, results getter, entry *inventory.Entry, format output.Format) (valid bool, err error) {
	document, err := results.Get(ctx, entry.Location()+forward.Report)
	if err != nil {
		return false, err
	}
	made := &report.Report{}
	if err := json.Unmarshal(document, made); err != nil {
		return false, fmt.Errorf("reading the report of %s, maybe of another version (see kubectl kvbench version): %w", entry.Reference(), err)
	}
	switch format {
	case Markdown, JUnit:
		name := map[output.Format]string{Markdown: "/report.md", JUnit: "/junit.xml"}[format]
		if document, err = results.Get(ctx, entry.Location()+name); err == nil {
			err = write(to, document, format)
		}
	case HTML:
		if document, err = runpage.Of(ctx, results, entry.Location(), document); err == nil {
			_, err = to.Write(document)
		}
	case output.Table:
		err = write(to, []byte(render.Table(made)), format)
	case CSV:
		err = writeFigures(to, made)
	default:
		err = write(to, document, format)
	}
	return made.Valid, err
}

func write(to io.Writer, content []byte, format output.Format) (err error) {
	if format == output.YAML {
		if content, err = printable.YAML(content); err != nil {
			return err
		}
	}
	_, err = to.Write(append(harmless(content, format), '\n'))
	return err
}

// harmless is a document that no terminal obeys: stores, and whoever can forge a pod, have words in it.
func harmless(content []byte, format output.Format) []byte {
	content = bytes.TrimRight(content, "\n")
	if format == output.JSON {
		return printable.JSON(content)
	}
	lines := strings.Split(string(content), "\n")
	for i := range lines {
		lines[i] = printable.Line(lines[i])
	}
	return []byte(strings.Join(lines, "\n"))
}

// writeFigures writes a line for each figure of the report.
func writeFigures(to io.Writer, made *report.Report) error {
	w := csv.NewWriter(to)
	rows := [][]string{{"namespace", "run", "valid", "workload", "operation", "fault", "metric", "time", "value", "unit", "censored"}}
	for _, f := range figures.Of(made).Figures {
		rows = append(rows, []string{made.Run.Namespace, made.Run.Name, strconv.FormatBool(made.Valid), f.Workload, f.Operation, f.Fault, f.Metric, f.Time,
			strconv.FormatFloat(f.Value, 'f', -1, 64), f.Unit, strconv.FormatBool(f.Censored)})
	}
	return w.WriteAll(rows)
}

// save writes the bundle to the file, whole or not at all.
func save(ctx context.Context, e *env.Env, results *kube.Results, entry *inventory.Entry, path string) error {
	if entry.Kind != inventory.Run {
		return fmt.Errorf("%s is no run: only runs have a bundle, and the report of a suite names its runs", entry.Reference())
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".bundle-*")
	if err != nil {
		return fmt.Errorf("can't write into the folder %s: %w", filepath.Dir(path), errors.Unwrap(err))
	}
	defer os.Remove(file.Name())
	err = results.GetTo(ctx, entry.Location()+forward.Bundle, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(file.Name(), 0o644), os.Rename(file.Name(), path)); err != nil {
		return err
	}
	fmt.Fprintf(e.Err, "The raw data of %s are in %s.\n", entry.Reference(), path)
	return nil
}
