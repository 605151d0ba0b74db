package suite

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func TestAFailureIsThatOfTheCombinationWhoseTurnItWas(t *testing.T) {
	is := func(kind string, yes bool) metav1.Condition {
		return metav1.Condition{Type: kind, Status: map[bool]metav1.ConditionStatus{true: metav1.ConditionTrue, false: metav1.ConditionFalse}[yes]}
	}
	measured := func(name string, reasons ...string) v1alpha1.WorkloadStatus {
		return v1alpha1.WorkloadStatus{Name: name, Conditions: []metav1.Condition{is(v1alpha1.ConditionMeasured, true)}, InvalidReasons: reasons}
	}
	begun := v1alpha1.WorkloadStatus{Name: "c1-b", Conditions: []metav1.Condition{is(v1alpha1.ConditionMeasured, false)}, InvalidReasons: []string{report.NotMeasured}}
	begun.Conditions = append(begun.Conditions, is(v1alpha1.ConditionLoaded, true))
	loading := v1alpha1.WorkloadStatus{Name: "c1-a", InvalidReasons: []string{report.NotMeasured}}
	turn := &suite.Turn{Combinations: []int{1, 0, 2}, Shared: true}
	failed := decide.Result{Outcome: manifest.Failed, Reasons: []string{"LoadFailed"}}
	notValid := decide.Result{Outcome: manifest.NotValid, Reasons: []string{report.GeneratorLag}}
	for what, c := range map[string]struct {
		whole     decide.Result
		reported  bool
		workloads []v1alpha1.WorkloadStatus
		want      string
	}{
		"all valid":           {decide.Result{Outcome: manifest.Valid}, true, []v1alpha1.WorkloadStatus{measured("c2-a"), measured("c2-b"), measured("c1-a"), measured("c1-b"), measured("c3-a"), measured("c3-b")}, "{Valid []} {Valid []} {Valid []}"},
		"one lagged":          {notValid, true, []v1alpha1.WorkloadStatus{measured("c2-a"), measured("c2-b"), measured("c1-a"), measured("c1-b", report.GeneratorLag), measured("c3-a"), measured("c3-b")}, "{NotValid [GeneratorLag]} {Valid []} {Valid []}"},
		"failed in the first": {failed, false, nil, "{Failed [NotBegun]} {Failed [LoadFailed]} {Failed [NotBegun]}"},
		"all measured, without report": {decide.Result{Outcome: manifest.Failed, Reasons: []string{"CollectTimedOut"}}, false,
			[]v1alpha1.WorkloadStatus{measured("c2-a"), measured("c2-b"), measured("c1-a"), measured("c1-b"), measured("c3-a"), measured("c3-b")},
			"{Failed [CollectTimedOut]} {Failed [CollectTimedOut]} {Failed [CollectTimedOut]}"},
		"never deployed":            {decide.Result{Outcome: manifest.Failed, Reasons: []string{"DeployTimedOut"}}, false, nil, "{Failed [DeployTimedOut]} {Failed [DeployTimedOut]} {Failed [DeployTimedOut]}"},
		"failed in the second":      {failed, true, []v1alpha1.WorkloadStatus{measured("c2-a"), measured("c2-b"), measured("c1-a"), begun}, "{Failed [LoadFailed]} {Valid []} {Failed [NotBegun]}"},
		"not loaded, after another": {failed, true, []v1alpha1.WorkloadStatus{measured("c2-a"), measured("c2-b"), loading}, "{Failed [NotBegun]} {Valid []} {Failed [NotBegun]}"},
		"failed without report":     {failed, false, []v1alpha1.WorkloadStatus{measured("c2-a"), measured("c2-b"), measured("c1-a"), begun}, "{Failed [LoadFailed]} {Failed [NotReported]} {Failed [NotBegun]}"},
		"failed between two":        {failed, true, []v1alpha1.WorkloadStatus{measured("c2-a"), measured("c2-b"), measured("c1-a"), measured("c1-b")}, "{Valid []} {Valid []} {Failed [NotBegun]}"},
	} {
		run := &v1alpha1.BenchmarkRun{}
		for _, combination := range turn.Combinations {
			for _, name := range []string{"a", "b"} {
				run.Spec.Workloads = append(run.Spec.Workloads, v1alpha1.WorkloadSpec{Name: suite.Prefix(combination) + name})
			}
		}
		run.Status.Workloads, run.Status.Conditions = c.workloads, []metav1.Condition{is(v1alpha1.ConditionReported, c.reported), is(v1alpha1.ConditionStoreReady, c.whole.Reasons == nil || c.whole.Reasons[0] != "DeployTimedOut")}
		found := resultsOf(run, turn, c.whole)
		if got := fmt.Sprint(found[0], found[1], found[2]); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

func TestARunOfSomebodyElseThatLeavesIsNobodysToDelete(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "s-b1-c1"}}
	of := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "u"}}
	for leaving, want := range map[bool]string{false: "exists and isn't this suite's", true: "is being deleted: the suite goes on when it is gone"} {
		run := run.DeepCopy()
		if leaving {
			run.DeletionTimestamp = ptr.To(metav1.Now())
		}
		seen, err := (&Reconciler{}).look(of, run, &suite.Turn{}, nil)
		if err != nil || seen.Ours {
			t.Fatalf("%+v, %v", seen, err)
		}
		if text := taken(&decide.State{Runs: map[string]decide.Run{run.Name: seen}}, run.Name); !strings.Contains(text, want) {
			t.Errorf("%s, want %s", text, want)
		}
	}
}
