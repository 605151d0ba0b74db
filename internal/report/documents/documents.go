// Package documents makes all documents of a run from its bundle: report.json, report.md, and charts.json, which the
// page's charts are drawn from.
package documents

import (
	"fmt"
	"io/fs"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/render"
)

// Documents are those of a run.
type Documents struct {
	Report   []byte // bundle.ReportFile
	Markdown []byte // bundle.MarkdownFile
	// Charts makes bundle.ChartsFile, for which the bundle is read a second time. A report may have no charts: its error
	// says why.
	Charts func() ([]byte, error)
}

// FromBundle makes them. The same bundle gives the same bytes. It fails only where compute.FromBundle does.
func FromBundle(fsys fs.FS) (*Documents, error) {
	in, err := read.Bundle(fsys)
	if err != nil {
		return nil, err
	}
	r, err := compute.Merge(in)
	if err != nil {
		return nil, err
	}
	document, err := r.JSON()
	if err != nil {
		return nil, err
	}
	return &Documents{
		Report: document, Markdown: render.Markdown(r),
		Charts: func() ([]byte, error) { return chartsOf(fsys, in, r) },
	}, nil
}

// chartsOf turns a panic into an error: the report is worth more than its charts.
func chartsOf(fsys fs.FS, in *read.Input, r *report.Report) (document []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			document, err = nil, fmt.Errorf("making the charts panicked: %v", cause)
		}
	}()
	made, err := charts.FromBundle(fsys, in, r)
	if err != nil {
		return nil, err
	}
	return made.JSON()
}
