package controllers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// tell records an event for each condition that changed its status or reason, and for
// each fault that changed its state, so that kubectl describe reads like a story.
func (r *Reconciler) tell(before, after *v1alpha1.BenchmarkRun) {
	r.tellConditions(after, "", before.Status.Conditions, after.Status.Conditions)
	for _, workload := range after.Status.Workloads {
		r.tellConditions(after, "workload "+workload.Name+": ", findWorkload(before, workload.Name).Conditions, workload.Conditions)
	}
	for _, fault := range after.Status.Faults {
		if old := findFault(before, fault.Name); old.State != fault.State && fault.State != "" {
			kind := corev1.EventTypeNormal
			if fault.State == v1alpha1.FaultNotInjected {
				kind = corev1.EventTypeWarning
			}
			r.Recorder.Eventf(after, nil, kind, "Fault"+fault.State, "Fault", "fault %s on %s", fault.Name, firstOf(fault.Target, "no target"))
		}
	}
}

func (r *Reconciler) tellConditions(run *v1alpha1.BenchmarkRun, prefix string, before, after []metav1.Condition) {
	for _, condition := range after {
		switch condition.Type {
		case v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled:
			continue // they repeat the others
		}
		old := meta.FindStatusCondition(before, condition.Type)
		if old != nil && old.Status == condition.Status && old.Reason == condition.Reason {
			continue
		}
		r.Recorder.Eventf(run, nil, eventType(condition), condition.Reason, condition.Type, "%s", prefix+condition.Message)
	}
}

func eventType(condition metav1.Condition) string {
	bad := condition.Type == conditionFailing || condition.Type == v1alpha1.ConditionFailed
	switch {
	case bad && condition.Status == metav1.ConditionTrue:
		return corev1.EventTypeWarning
	case condition.Status == metav1.ConditionFalse && (condition.Type == v1alpha1.ConditionAccepted || condition.Type == v1alpha1.ConditionValid):
		return corev1.EventTypeWarning
	}
	return corev1.EventTypeNormal
}
