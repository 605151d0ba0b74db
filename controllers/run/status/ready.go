package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// Summarize derives from the conditions what people and tools look at first: the columns of
// kubectl get, and kstatus' Reconciling, Stalled and Ready.
func Summarize(run *v1alpha1.BenchmarkRun) {
	run.Status.ObservedGeneration = run.Generation
	run.Status.Phase = phase(run)
	run.Status.Workload = shownWorkload(run)
	run.Status.Progress = shownProgress(run)
	failed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed)
	switch {
	case failed != nil && failed.Status == metav1.ConditionTrue:
		meta.RemoveStatusCondition(&run.Status.Conditions, v1alpha1.ConditionReconciling)
		SetCondition(run, v1alpha1.ConditionStalled, metav1.ConditionTrue, failed.Reason, failed.Message)
		SetCondition(run, v1alpha1.ConditionReady, metav1.ConditionFalse, failed.Reason, failed.Message)
	case IsTrue(run, v1alpha1.ConditionComplete):
		meta.RemoveStatusCondition(&run.Status.Conditions, v1alpha1.ConditionReconciling)
		if valid := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); valid != nil && valid.Status != metav1.ConditionTrue {
			// For kstatus, Ready=False alone means that the run is still under way.
			SetCondition(run, v1alpha1.ConditionStalled, metav1.ConditionTrue, "NotValid", valid.Message)
			SetCondition(run, v1alpha1.ConditionReady, metav1.ConditionFalse, "NotValid", valid.Message)
			return
		}
		if passed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPassed); passed != nil && passed.Status != metav1.ConditionTrue {
			SetCondition(run, v1alpha1.ConditionStalled, metav1.ConditionTrue, passed.Reason, passed.Message)
			SetCondition(run, v1alpha1.ConditionReady, metav1.ConditionFalse, passed.Reason, passed.Message)
			return
		}
		SetCondition(run, v1alpha1.ConditionReady, metav1.ConditionTrue, "Complete", readyMessage(run))
	default:
		SetCondition(run, v1alpha1.ConditionReconciling, metav1.ConditionTrue, run.Status.Phase, "the run is under way")
		SetCondition(run, v1alpha1.ConditionReady, metav1.ConditionFalse, run.Status.Phase, "the run is under way")
	}
}

func readyMessage(run *v1alpha1.BenchmarkRun) string {
	if IsTrue(run, v1alpha1.ConditionPassed) {
		return "the report is stored, its numbers are valid, and all objectives are kept"
	}
	return "the report is stored, and its numbers are valid"
}
