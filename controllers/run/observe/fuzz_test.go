package observe

import (
	"slices"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

// The plan's ConfigMap lies where the run's author may write.
func FuzzPlan(f *testing.F) {
	const uid = "7f3c0e1a-0000-4000-8000-000000000001"
	kept := `{"format":1,"run":{"uid":"` + uid + `"},"workloads":[{"name":"a"}]}`
	for _, text := range []string{kept, kept + " ", "{}", "[", `{"format":1,"run":{"uid":"` + uid + `"},"workloads":[{"load":{"workers":1e9}}]}`} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, admitted bool) {
		run := &v1alpha1.BenchmarkRun{}
		run.UID = uid
		if admitted {
			run.Status.PlanSHA256 = status.Digest([]byte(kept))
		}
		parsed, trouble := parsePlan(run, text)
		switch {
		case (parsed == nil) == (trouble == ""):
			t.Errorf("%v, and %q", parsed, trouble)
		case parsed != nil && (parsed.Run.UID != uid || parsed.Format != plan.Format):
			t.Errorf("took %+v", parsed)
		case parsed != nil && admitted && text != kept:
			t.Errorf("took %q for the plan that was kept", text)
		}
		if slices.Contains([]string{"", "\n"}, text) && parsed != nil {
			t.Error("took nothing for a plan")
		}
	})
}
