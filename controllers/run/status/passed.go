package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/report"
)

// NoteVerdict takes what the report says of the run's objectives into the condition Passed.
func NoteVerdict(run *v1alpha1.BenchmarkRun, made *report.Report) {
	switch {
	case len(run.Spec.Objectives) == 0:
		meta.RemoveStatusCondition(&run.Status.Conditions, v1alpha1.ConditionPassed)
		return
	case IsTrue(run, ConditionFailing):
		SetCondition(run, v1alpha1.ConditionPassed, metav1.ConditionUnknown, conditions.ReasonObjectivesUnknown, "the run fails, so its figures prove nothing")
		return
	case made.Verdict == "" || len(made.Objectives) != len(run.Spec.Objectives):
		SetCondition(run, v1alpha1.ConditionPassed, metav1.ConditionUnknown, conditions.ReasonObjectivesUnknown, "the report doesn't judge the objectives: another version of kvbench admitted the run, or made its report")
		return
	}
	judged := make([]conditions.Judged, len(made.Objectives))
	for i := range made.Objectives {
		judged[i] = conditions.Judged{Verdict: made.Objectives[i].Verdict, Message: objective.Message(&made.Objectives[i])}
	}
	status, reason, text := conditions.Passed(made.Verdict, judged)
	SetCondition(run, v1alpha1.ConditionPassed, status, reason, text)
}
