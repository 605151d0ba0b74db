package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
)

// IsTrue says that the run's condition is True.
func IsTrue(run *v1alpha1.BenchmarkRun, kind string) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, kind)
}

// SetCondition sets a condition of the run. Its time stays while its status does.
func SetCondition(run *v1alpha1.BenchmarkRun, kind string, status metav1.ConditionStatus, reason, message string) {
	conditions.Set(&run.Status.Conditions, run.Generation, kind, status, reason, message)
}

// SetConditionAnew starts the condition's time again where the reason is another one:
// deadlines count from it.
func SetConditionAnew(run *v1alpha1.BenchmarkRun, kind string, status metav1.ConditionStatus, reason, message string) {
	conditions.SetAnew(&run.Status.Conditions, run.Generation, kind, status, reason, message)
}
