package findings

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func TestTheTrialsSayWhetherARateHolds(t *testing.T) {
	m := suiteOf(8)
	m.Search = &manifest.Search{
		Objectives: []plan.Objective{{Metric: "p99", Operation: "READ", AtMost: ptr.To(0.002)}}, Texts: []string{"p99 of READ at most 2ms"},
		Found: []manifest.Found{{Holds: &manifest.Point{Rate: 500, Combination: 0}, Misses: &manifest.Point{Rate: 510, Combination: 1}}, {Why: "it failed"}},
	}
	r := must(t, m, runsBy(func(block, combination int) *report.Report {
		switch {
		case block == 7:
			return nil // its report is gone
		case combination == 1 && block > 1:
			return runReport(510, 3000)
		}
		return runReport(500, 2000) // which is at the bound
	}))
	found := r.Search.Found
	if got := *found[0].Holds; got != (FoundRate{Rate: 500, Kept: 7, Unknown: 1}) {
		t.Errorf("%+v", got)
	}
	if got := *found[0].Misses; got != (FoundRate{Rate: 510, Kept: 2, Missed: 5, Unknown: 1}) {
		t.Errorf("%+v", got)
	}
	if found[1].Holds != nil || found[1].Misses != nil || found[1].Why != "it failed" {
		t.Errorf("%+v", found[1])
	}
	if suiteOf := must(t, suiteOf(8), runsBy(twice)); suiteOf.Search != nil {
		t.Error("a suite that doesn't search has found something")
	}
}
