package follow

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
)

// Judge says how a run ended: the code to exit with, and sentences for people. The code is 0 for a run that is complete and valid,
// and whose objectives are kept.
func Judge(run *v1alpha1.BenchmarkRun) (code int, lines []string) {
	conditions := run.Status.Conditions
	complete := meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete)
	valid := meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionValid)
	code, objectives := passed(conditions, "run's")
	switch {
	case !complete:
		code, lines = exit.Failed, []string{"The run failed."}
	case !valid:
		lines = []string{"The run is complete, but its numbers are not valid."}
		if code == 0 {
			code = exit.Unknown
		}
	default:
		lines = []string{"The run is complete, and its numbers are valid."}
	}
	if complete {
		lines = append(lines, objectives...)
	}
	if complete && valid {
		return code, lines
	}
	lines = append(lines, complaints("", conditions)...)
	for _, w := range run.Status.Workloads {
		lines = append(lines, complaints("workload "+w.Name+": ", w.Conditions)...)
	}
	for _, f := range run.Status.Faults {
		if f.Message != "" {
			lines = append(lines, fmt.Sprintf("  fault %s: %s: %s", f.Name, f.State, f.Message))
		}
	}
	return code, lines
}

// passed says whether the objectives are kept; there is nothing to say where there are none.
func passed(conditions []metav1.Condition, whose string) (code int, lines []string) {
	c := meta.FindStatusCondition(conditions, v1alpha1.ConditionPassed)
	switch {
	case c == nil:
		return 0, nil
	case c.Status == metav1.ConditionTrue:
		return 0, []string{fmt.Sprintf("The %s objectives are kept.", whose)}
	case c.Status == metav1.ConditionFalse:
		return exit.Failed, []string{fmt.Sprintf("The %s objectives are not kept: %s", whose, c.Message)}
	}
	return exit.Unknown, []string{fmt.Sprintf("Whether the %s objectives are kept is not known: %s", whose, c.Message)}
}

// bad are the conditions that complain by being True; the others do by being False.
var bad = map[string]bool{v1alpha1.ConditionFailed: true, v1alpha1.ConditionStalled: true}

// repeated are conditions that say in another way what others say, or that have a sentence of their own.
var repeated = map[string]bool{v1alpha1.ConditionReconciling: true, v1alpha1.ConditionReady: true, v1alpha1.ConditionPassed: true}

// complaints are those of the conditions. Of several with one message the first is enough: Stalled says again what others say.
func complaints(of string, conditions []metav1.Condition) (lines []string) {
	said := map[string]bool{}
	last := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == v1alpha1.ConditionStalled })
	if last >= 0 {
		stalled := conditions[last]
		conditions = append(slices.Delete(slices.Clone(conditions), last, last+1), stalled)
	}
	for _, c := range conditions {
		complains := c.Status == metav1.ConditionFalse
		if bad[c.Type] {
			complains = c.Status == metav1.ConditionTrue
		}
		if complains && !repeated[c.Type] && !said[c.Message] {
			said[c.Message] = true
			lines = append(lines, fmt.Sprintf("  %s%s=%s %s: %s", of, c.Type, c.Status, c.Reason, strings.TrimSpace(c.Message)))
		}
	}
	return lines
}

// JudgeSuite says how a suite ended, as Judge does of a run.
func JudgeSuite(suite *v1alpha1.BenchmarkSuite) (code int, lines []string) {
	conditions := suite.Status.Conditions
	runs := suite.Status.Runs
	code, objectives := passed(conditions, "suite's")
	if !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete) {
		return exit.Failed, append([]string{"The suite failed."}, complaints("", conditions)...)
	}
	lines = append([]string{"The suite is complete."}, objectives...)
	if runs != nil && runs.Unusable > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d trials have no valid numbers.", runs.Unusable, runs.Total))
		if code == 0 {
			code = exit.Unknown
		}
	}
	return code, lines
}
