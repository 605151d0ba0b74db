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
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/render"
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
			r, err := unlessEnded(c.Context(), func() (*report.Report, error) { return compute.FromBundle(files) })
			if err != nil {
				return fmt.Errorf("report of %s: %w", args[0], err)
			}
			text, err := r.JSON()
			if err != nil {
				return fmt.Errorf("report of %s: %w", args[0], err)
			}
			if into == "" {
				_, err = os.Stdout.Write(text)
				return err
			}
			if err := os.MkdirAll(into, 0o755); err != nil {
				return fmt.Errorf("write the report: %w", err)
			}
			return errors.Join(
				os.WriteFile(filepath.Join(into, bundle.ReportFile), text, 0o644),
				os.WriteFile(filepath.Join(into, bundle.MarkdownFile), render.Markdown(r), 0o644),
			)
		},
	}
	command.Flags().StringVarP(&into, "output", "o", "", "folder for report.json and report.md (default: report.json to standard output)")
	return command
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
