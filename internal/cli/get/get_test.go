package get

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/inventory"
)

func shown(t *testing.T, e *inventory.Entry) string {
	t.Helper()
	var printed bytes.Buffer
	if err := show(&printed, e); err != nil {
		t.Fatal(err)
	}
	return printed.String()
}

func TestARunIsShownWithItsFiguresAndConditions(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "a", UID: "7f"},
		Spec:       v1alpha1.BenchmarkRunSpec{Store: v1alpha1.StoreSpec{Name: "etcd", Nodes: 3}},
		Status: v1alpha1.BenchmarkRunStatus{Phase: "Complete", InvalidReasons: []string{"GeneratorLag"},
			Summary: &v1alpha1.Summary{Faults: []v1alpha1.FaultSummary{
				{Name: "kill", Target: "m-1", OutageMicros: 1_500_000, OutageCensored: true, LeaderBefore: "m-1", LeaderAfter: "m-2"},
				{Name: "again", PartOf: "kill"}, {Name: "calm", Target: "m-0"}}},
			Workloads:  []v1alpha1.WorkloadStatus{{Name: "w", InvalidReasons: []string{"GeneratorLag"}, Summary: &v1alpha1.WorkloadSummary{Throughput: 998, P99: "3.1ms", Errors: 2}}, {Name: "not-yet"}},
			Conditions: []metav1.Condition{{Type: "Valid", Status: metav1.ConditionFalse, Reason: "GeneratorLag", Message: "late\n by  2s"}, {Type: "Reported", Status: metav1.ConditionTrue}}},
	}
	text := shown(t, inventory.Of(run))
	for _, want := range []string{"run  team/a  7f\n", "Complete, etcd, 3 nodes\n", "not valid: GeneratorLag\n", "w          998     3.1ms   2        GeneratorLag\n",
		"kill    m-1      >1.500 s   m-1 → m-2\n", "again   -        see kill", "calm    m-0      none",
		"late by 2s\n", "kubectl kvbench -n team report run/a prints"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "not-yet") {
		t.Errorf("a workload without figures:\n%s", text)
	}
	if made := value(inventory.Of(run)).(*v1alpha1.BenchmarkRun); made.Kind != "BenchmarkRun" || made.APIVersion != "kvbench.io/v1alpha1" {
		t.Errorf("as YAML it is %s %s", made.APIVersion, made.Kind)
	}
}

func TestASuiteIsShownWithItsTrials(t *testing.T) {
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "m", UID: "9"}, Status: v1alpha1.BenchmarkSuiteStatus{
		Phase: "Running", Combinations: 4, Runs: &v1alpha1.SuiteRuns{Total: 8, Done: 3, Unusable: 1}}}
	if text := shown(t, inventory.Of(suite)); !strings.Contains(text, "4 combinations; 3 of 8 trials done, 1 without valid numbers\n") || strings.Contains(text, "report") {
		t.Error(text)
	}
	if made := value(inventory.Of(suite)).(*v1alpha1.BenchmarkSuite); made.Kind != "BenchmarkSuite" {
		t.Error(made.Kind)
	}
}

func TestADeletedRunIsShownFromWhatIsKept(t *testing.T) {
	began, valid := time.Now(), true
	e := &inventory.Entry{Kind: inventory.Run, Namespace: "team", Name: "a", UID: "7f", Phase: inventory.Kept, Store: "redis", Mode: "alone", Members: 1,
		Started: &began, Valid: &valid, Verdict: inventory.Passed, Reported: true}
	text := shown(t, e)
	for _, want := range []string{"Kept, redis alone, 1 nodes, began at " + began.Local().Format(time.DateTime), "Objectives: Passed\n", "report run/a"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if value(e) != any(e) {
		t.Error("as JSON it is something else")
	}
}
