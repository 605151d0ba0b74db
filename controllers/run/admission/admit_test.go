package admission

import (
	"encoding/json"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

func planOf(t *testing.T, version, mode string) string {
	t.Helper()
	document, err := json.Marshal(&plan.Plan{Format: plan.Format, Kvbench: version, Store: plan.Store{Mode: mode}})
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

func TestARunTakesOverThePlanOfAnEarlierPass(t *testing.T) {
	now, before := planOf(t, "v2", "default"), planOf(t, "v1", "default")
	for _, c := range []struct {
		what, kept, admittedWith string
		takes                    bool
	}{
		{"the same bytes", now, "", true},
		{"the same bytes, after another version's", now, before, true},
		{"another version's", before, "", true},
		{"another version's, which the run was admitted with", before, before, true},
		{"another version's, where the run was admitted with this one's", before, now, false},
		{"none's", planOf(t, "", "default"), "", true},
		{"of another mode", planOf(t, "v2", "cp"), "", false},
		{"of another form", now + " ", "", false},
		{"cut off", "{", "", false},
		{"empty", "", "", false},
	} {
		run := &v1alpha1.BenchmarkRun{}
		if c.admittedWith != "" {
			run.Status.PlanSHA256 = status.Digest([]byte(c.admittedWith))
		}
		if takesOver(run, []byte(c.kept), []byte(now)) != c.takes {
			t.Errorf("%s: want %t", c.what, c.takes)
		}
	}
}
