package reporttest

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/compute"
)

// Report is the report of a bundle.
func Report(t *testing.T, f bundletest.Files) *report.Report {
	t.Helper()
	r, err := compute.FromBundle(f.FS())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
