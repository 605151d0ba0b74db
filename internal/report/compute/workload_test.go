package compute

import (
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
)

func TestAnUpdateWritesWhatTheWorkloadTakesItsPropertyFor(t *testing.T) {
	for value, want := range map[string]string{"true": report.WritesRecord, "TRUE": report.WritesRecord, "false": report.WritesFields, "": report.WritesFields} {
		w := &plan.Workload{Properties: map[string]string{"writeallfields": value}}
		if got := reportLoad(&plan.Store{}, w).UpdateWrites; got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
