package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// verdict prints how the run ended. It is nil only for one that is complete and valid.
func verdict(s *screen, run *v1alpha1.BenchmarkRun) error {
	ok, lines := judge(run)
	for _, line := range lines {
		s.Say("%s", line)
	}
	if !ok {
		return errVerdict
	}
	return nil
}

func judge(run *v1alpha1.BenchmarkRun) (ok bool, lines []string) {
	conditions := run.Status.Conditions
	complete := meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete)
	valid := meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionValid)
	if complete && valid {
		return true, []string{"The run is complete, and its numbers are valid."}
	}
	if complete {
		lines = append(lines, "The run is complete, but its numbers are not valid.")
	} else {
		lines = append(lines, "The run failed.")
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
	return false, lines
}

// bad are the conditions that complain by being True; the others do by being False.
var bad = map[string]bool{v1alpha1.ConditionFailed: true, v1alpha1.ConditionStalled: true}

func complaints(of string, conditions []metav1.Condition) (lines []string) {
	for _, c := range conditions {
		complains := c.Status == metav1.ConditionFalse
		if bad[c.Type] {
			complains = c.Status == metav1.ConditionTrue
		}
		if !complains || c.Type == v1alpha1.ConditionReconciling || c.Type == v1alpha1.ConditionReady {
			continue
		}
		lines = append(lines, fmt.Sprintf("  %s%s=%s %s: %s", of, c.Type, c.Status, c.Reason, strings.TrimSpace(c.Message)))
	}
	return lines
}
