package status

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/report"
)

// NoteVerdict takes what the report says of the run's objectives into the condition Passed.
func NoteVerdict(run *v1alpha1.BenchmarkRun, made *report.Report) {
	if made.Verdict == "" {
		meta.RemoveStatusCondition(&run.Status.Conditions, v1alpha1.ConditionPassed)
		return
	}
	judged := make([]conditions.Judged, len(made.Objectives))
	for i := range made.Objectives {
		judged[i] = conditions.Judged{Verdict: made.Objectives[i].Verdict, Message: objective.Message(&made.Objectives[i])}
	}
	status, reason, text := conditions.Passed(made.Verdict, judged)
	SetCondition(run, v1alpha1.ConditionPassed, status, reason, text)
}
