package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/ycsb"
)

func newReportCommand() *cobra.Command {
	var into string
	command := &cobra.Command{
		Use:   "report <bundle>",
		Short: "Compute the report of a bundle (a folder or a .tar) from its raw files alone",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return ycsb.Refuse("one bundle is needed, a folder or a .tar, and %d were named", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			files, closeFiles, err := openBundle(c.Context(), args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, closeFiles()) }()
			made, err := unlessEnded(c.Context(), func() (*documents.Documents, error) { return documents.FromBundle(files) })
			if err != nil {
				return fmt.Errorf("report of %s: %w", args[0], err)
			}
			if into == "" {
				_, err = os.Stdout.Write(made.Report)
				return err
			}
			return writeDocuments(into, made)
		},
	}
	command.Flags().StringVarP(&into, "output", "o", "", "folder for report.json, report.md, charts.json and the page report.html (default: report.json to standard output)")
	return command
}

func writeDocuments(folder string, made *documents.Documents) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	charts, noCharts := made.Charts()
	html, err := page.Run(made.Report, charts)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	files := map[string][]byte{bundle.ReportFile: made.Report, bundle.MarkdownFile: made.Markdown, bundle.PageFile: html}
	if noCharts == nil {
		files[bundle.ChartsFile] = charts
	} else {
		fmt.Fprintf(os.Stderr, "report.html has no charts: %v\n", noCharts)
	}
	for name, content := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), content, 0o644))
	}
	return err
}

// openBundle takes a folder as it is, and unpacks a tar into a temporary one.
func openBundle(ctx context.Context, path string) (files fs.FS, closeFiles func() error, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, ycsb.Refuse("open the bundle: %w", err)
	}
	if info.IsDir() {
		return os.DirFS(path), func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp("", "kvbench-bundle-")
	if err != nil {
		return nil, nil, fmt.Errorf("unpack the bundle: %w", err)
	}
	closeFiles = func() error { return os.RemoveAll(dir) }
	if err := unpack(ctx, path, dir); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("unpack the bundle %s: %w", path, err), closeFiles())
	}
	return os.DirFS(dir), closeFiles, nil
}

// unlessEnded does what knows no context, and gives it up where ctx ends: the program is to end then.
func unlessEnded[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
