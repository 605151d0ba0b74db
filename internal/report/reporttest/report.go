package reporttest

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/compute"
)

func Report(t *testing.T, f bundletest.Files) *report.Report {
	t.Helper()
	r, err := compute.FromBundle(f.Fs())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
