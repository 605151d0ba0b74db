package read_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestBundleWithoutPlanGivesNoReport(t *testing.T) {
	for name, c := range map[string]struct {
		plan string // "" for none
		says string
	}{
		"no plan":              {"", "no readable plan"},
		"a plan that is torn":  {`{"format": 1`, "reading plan.json"},
		"of a later program's": {`{"format": 2}`, "format 2"},
	} {
		t.Run(name, func(t *testing.T) {
			f := reporttest.NewSituation().Build(t)
			delete(f, bundle.PlanFile)
			if c.plan != "" {
				f.Put(bundle.PlanFile, []byte(c.plan))
			}
			if in, err := read.Bundle(f.FS()); in != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("read %v; error is %v, want %q", in, err, c.says)
			}
		})
	}
}
