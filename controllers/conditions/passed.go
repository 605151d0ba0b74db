package conditions

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/report"
)

// Reasons of the condition Passed.
const (
	ReasonObjectivesKept    = "ObjectivesKept"
	ReasonObjectivesMissed  = "ObjectivesMissed"
	ReasonObjectivesUnknown = "ObjectivesUnknown"
)

// Passed is what the condition Passed says of objectives that were judged: it names those that decided.
func Passed(verdict string, objectives []report.Objective) (status metav1.ConditionStatus, reason, text string) {
	var deciding []string
	for i := range objectives {
		if objectives[i].Verdict == verdict {
			deciding = append(deciding, objective.Message(&objectives[i]))
		}
	}
	text = strings.Join(deciding, "; ")
	switch verdict {
	case report.VerdictPassed:
		return metav1.ConditionTrue, ReasonObjectivesKept, text
	case report.VerdictFailed:
		return metav1.ConditionFalse, ReasonObjectivesMissed, fmt.Sprintf("%d of %d objectives are missed: %s", len(deciding), len(objectives), text)
	}
	return metav1.ConditionUnknown, ReasonObjectivesUnknown, fmt.Sprintf("nobody can tell whether %d of %d objectives are kept: %s", len(deciding), len(objectives), text)
}
