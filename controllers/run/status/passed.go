package status

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/internal/report"
)

// NoteVerdict takes what the report says of the run's objectives into the condition Passed.
func NoteVerdict(run *v1alpha1.BenchmarkRun, made *report.Report) {
	if made.Verdict == "" {
		meta.RemoveStatusCondition(&run.Status.Conditions, v1alpha1.ConditionPassed)
		return
	}
	status, reason, text := conditions.Passed(made.Verdict, made.Objectives)
	SetCondition(run, v1alpha1.ConditionPassed, status, reason, text)
}
