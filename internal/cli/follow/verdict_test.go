package follow

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/exit"
)

func TestTheVerdictsCodes(t *testing.T) {
	yes, no, unknown := metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	for name, c := range map[string]struct {
		conditions []metav1.Condition
		code       int
		lines      int
	}{
		"complete and valid": {[]metav1.Condition{condition("Complete", yes, "Finished", "x"), condition("Valid", yes, "Valid", "x")}, 0, 1},
		"not valid":          {[]metav1.Condition{condition("Complete", yes, "Finished", "x"), condition("Valid", no, "RateMissed", "x")}, exit.Unknown, 2},
		"validity unknown":   {[]metav1.Condition{condition("Complete", yes, "Finished", "x")}, exit.Unknown, 1},
		"objectives kept": {[]metav1.Condition{condition("Complete", yes, "Finished", "x"), condition("Valid", yes, "Valid", "x"),
			condition("Passed", yes, "Passed", "x")}, 0, 2},
		"an objective missed": {[]metav1.Condition{condition("Complete", yes, "Finished", "x"), condition("Valid", yes, "Valid", "x"),
			condition("Passed", no, "Failed", "x")}, exit.Failed, 2},
		"an objective that is not decided": {[]metav1.Condition{condition("Complete", yes, "Finished", "x"), condition("Valid", yes, "Valid", "x"),
			condition("Passed", unknown, "Unknown", "x")}, exit.Unknown, 2},
		"an objective missed by numbers that are not valid": {[]metav1.Condition{condition("Complete", yes, "Finished", "x"),
			condition("Valid", no, "RateMissed", "x"), condition("Passed", no, "Failed", "x")}, exit.Failed, 3},
		"failed": {[]metav1.Condition{condition("Failed", yes, "FaultNotInjected", "x"), condition("StoreReady", yes, "Ready", "x")}, exit.Failed, 2},
		"kstatus' repetitions are left out": {[]metav1.Condition{
			condition("Failed", yes, "X", "x"), condition("Ready", no, "X", "x"), condition("Reconciling", no, "X", "x"),
		}, exit.Failed, 2},
		"what is said twice is said once": {[]metav1.Condition{condition("Stalled", yes, "X", "the same"), condition("Complete", yes, "Finished", "x"),
			condition("Valid", no, "X", "the same")}, exit.Unknown, 2},
	} {
		t.Run(name, func(t *testing.T) {
			run := runAt("")
			run.Status.Conditions = c.conditions
			code, lines := Judge(run)
			if code != c.code || len(lines) != c.lines || strings.Contains(strings.Join(lines, "\n"), "Stalled") {
				t.Errorf("got %d, %q; want %d, %d lines", code, lines, c.code, c.lines)
			}
		})
	}
}
