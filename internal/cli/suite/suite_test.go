package suite

import (
	"bytes"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
)

func TestTheStatusCountsTrials(t *testing.T) {
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Status: v1alpha1.BenchmarkSuiteStatus{
		Phase: "Running", Combinations: 4, Run: "m-3-1", TimeLeft: "12m", Runs: &v1alpha1.SuiteRuns{Total: 8, Done: 3, Unusable: 1, Left: 5, Repeated: 2}}}
	told := statusOf(suite)
	if told.Ended || told.ExitCode != 0 || told.Verdict != nil {
		t.Errorf("under way: %+v", told)
	}
	var printed bytes.Buffer
	if err := show(&printed, &told); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(printed.String()), "\n")
	if got := strings.Join(strings.Fields(lines[1]), " "); len(lines) != 2 || got != "m Running 4 8 3 1 2 5 m-3-1 12m" {
		t.Error(got)
	}
	if told := statusOf(&v1alpha1.BenchmarkSuite{}); told.Total != 0 || told.Ended {
		t.Errorf("not accepted yet: %+v", told)
	}
}

func TestTheStatusOfAnEndedSuiteHasTheVerdict(t *testing.T) {
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Status: v1alpha1.BenchmarkSuiteStatus{
		Phase: "Complete", Runs: &v1alpha1.SuiteRuns{Total: 8, Done: 8},
		Conditions: []metav1.Condition{{Type: "Complete", Status: metav1.ConditionTrue}, {Type: "Passed", Status: metav1.ConditionFalse, Message: "p99 is worse"}}}}
	told := statusOf(suite)
	if !told.Ended || told.ExitCode != exit.Failed {
		t.Errorf("%+v", told)
	}
	var printed bytes.Buffer
	if err := show(&printed, &told); err != nil || !strings.Contains(printed.String(), "not kept: p99 is worse") {
		t.Error(printed.String(), err)
	}
}
