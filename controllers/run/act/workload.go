package act

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// unless is True, unless it failed.
func unless(failed bool) metav1.ConditionStatus {
	if failed {
		return metav1.ConditionFalse
	}
	return metav1.ConditionTrue
}

func setWorkload(run *v1alpha1.BenchmarkRun, d decide.Decision, noted metav1.ConditionStatus) {
	conditions.Set(&status.EnsureWorkload(run, d.Workload).Conditions, run.Generation, d.Condition, noted, d.Reason, d.Message)
}

// setWorkloadAnew is setConditionAnew for a workload.
func setWorkloadAnew(run *v1alpha1.BenchmarkRun, d decide.Decision, noted metav1.ConditionStatus) {
	conditions.SetAnew(&status.EnsureWorkload(run, d.Workload).Conditions, run.Generation, d.Condition, noted, d.Reason, d.Message)
}
