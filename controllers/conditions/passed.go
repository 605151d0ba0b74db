package conditions

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/report"
)

// Reasons of the condition Passed.
const (
	ReasonObjectivesKept    = "ObjectivesKept"
	ReasonObjectivesMissed  = "ObjectivesMissed"
	ReasonObjectivesUnknown = "ObjectivesUnknown"
)

// Judged is an objective's verdict, with the sentence that says why.
type Judged struct{ Verdict, Message string }

// Passed is what the condition Passed says of objectives: it names those that decided the verdict of all.
func Passed(verdict string, objectives []Judged) (status metav1.ConditionStatus, reason, text string) {
	var deciding []string
	for _, o := range objectives {
		if o.Verdict == verdict {
			deciding = append(deciding, o.Message)
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
