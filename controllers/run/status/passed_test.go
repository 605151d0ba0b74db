package status

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
)

func TestAVerdictBecomesACondition(t *testing.T) {
	made := func(errors ...float64) *report.Report {
		r := &report.Report{Valid: true, Workloads: []report.Workload{{Name: "a", Intended: 100, Succeeded: 99}}}
		var objectives []plan.Objective
		for _, bound := range errors {
			objectives = append(objectives, plan.Objective{Metric: "errors", AtMost: ptr.To(bound)})
		}
		objective.Judge(r, objectives)
		return r
	}
	lost := made()
	objective.Judge(lost, []plan.Objective{{Metric: "recordsLost", AtMost: ptr.To(0.0)}})
	for _, c := range []struct {
		made                 *report.Report
		status, reason, says string
	}{
		{made(0.01, 0.02), "True", "ObjectivesKept", "errors at most 1 %: 1.000 % in workload a; errors at most 2 %: 1.000 % in workload a"},
		{made(0.01, 0.005), "False", "ObjectivesMissed", "1 of 2 objectives are missed: errors at most 0.5 %: 1.000 % in workload a"},
		{lost, "Unknown", "ObjectivesUnknown", "nobody can tell whether 1 of 1 objectives are kept: records lost 0: there was no fault"},
	} {
		run := &v1alpha1.BenchmarkRun{}
		run.Spec.Objectives = make([]v1alpha1.Objective, len(c.made.Objectives))
		NoteVerdict(run, c.made)
		passed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPassed)
		if string(passed.Status) != c.status || passed.Reason != c.reason || passed.Message != c.says {
			t.Errorf("%+v", passed)
		}
		SetCondition(run, ConditionFailing, metav1.ConditionTrue, "PlanLost", "")
		NoteVerdict(run, c.made)
		if passed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPassed); passed.Status != metav1.ConditionUnknown {
			t.Errorf("of a run that fails: %+v", passed)
		}
		run.Status.Conditions = nil
		NoteVerdict(run, made())
		if passed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPassed); passed == nil || passed.Status != metav1.ConditionUnknown {
			t.Errorf("of a report that judges nothing: %+v", passed)
		}
		run.Spec.Objectives = nil
		NoteVerdict(run, made())
		if meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPassed) != nil {
			t.Error("a run without objectives has passed")
		}
	}
	if run := (&v1alpha1.BenchmarkRun{}); !strings.Contains(readyMessage(run), "valid") || strings.Contains(readyMessage(run), "objectives") {
		t.Error(readyMessage(run))
	}
}
