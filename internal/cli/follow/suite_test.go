package follow

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
)

func suiteAt(phase string, runs *v1alpha1.SuiteRuns, conditions ...metav1.Condition) *v1alpha1.BenchmarkSuite {
	return &v1alpha1.BenchmarkSuite{
		ObjectMeta: metav1.ObjectMeta{Name: "s", CreationTimestamp: metav1.Unix(1000, 0)},
		Status:     v1alpha1.BenchmarkSuiteStatus{Phase: phase, Runs: runs, Conditions: conditions},
	}
}

func TestASuitesProgressInOneLine(t *testing.T) {
	running := suiteAt("Running", &v1alpha1.SuiteRuns{Total: 8, Done: 3, Unusable: 1})
	running.Status.Run, running.Status.TimeLeft = "s-b1-c2", "5m"
	for want, suite := range map[string]*v1alpha1.BenchmarkSuite{
		"  1m2s  Pending     ": suiteAt("", nil),
		"  1m2s  Running      3 of 8 trials done, 1 without valid numbers, about 5m left; run s-b1-c2": running,
		"  1m2s  Blocked     ; NoRoom: too many":                                                       suiteAt("Blocked", nil, condition("Stalled", metav1.ConditionTrue, "NoRoom", "too many")),
	} {
		if _, got := describeSuite(suite, time.Unix(1062, 0)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestASuitesVerdict(t *testing.T) {
	yes, no := metav1.ConditionTrue, metav1.ConditionFalse
	complete := condition("Complete", yes, "Finished", "x")
	for name, c := range map[string]struct {
		suite *v1alpha1.BenchmarkSuite
		code  int
	}{
		"complete":                    {suiteAt("Complete", &v1alpha1.SuiteRuns{Total: 2, Done: 2}, complete), 0},
		"trials without numbers":      {suiteAt("Complete", &v1alpha1.SuiteRuns{Total: 2, Done: 2, Unusable: 1}, complete), exit.Unknown},
		"an objective that is missed": {suiteAt("Complete", &v1alpha1.SuiteRuns{Total: 2, Done: 2, Unusable: 1}, complete, condition("Passed", no, "Failed", "x")), exit.Failed},
		"failed":                      {suiteAt("Failed", nil, condition("Failed", yes, "Refused", "x")), exit.Failed},
	} {
		if code, lines := JudgeSuite(c.suite); code != c.code || len(lines) == 0 {
			t.Errorf("%s: %d %q", name, code, lines)
		}
	}
}
