package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// phase is a CamelCase word, so that it can serve as a condition's reason too. Each step that is
// noted has one of its own: kubectl get -w writes a row for each note, and equal rows say nothing.
func phase(run *v1alpha1.BenchmarkRun) string {
	ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady)
	cleaned := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionCleanedUp)
	switch {
	case IsTrue(run, v1alpha1.ConditionFailed):
		return "Failed"
	case IsTrue(run, v1alpha1.ConditionComplete):
		return "Complete"
	case cleaned != nil && cleaned.Status == metav1.ConditionTrue:
		return "CleanedUp"
	case cleaned != nil:
		return "TearingDown"
	case !run.DeletionTimestamp.IsZero():
		return "Deleting"
	case IsTrue(run, ConditionFailing):
		return "Failing"
	case IsTrue(run, v1alpha1.ConditionReported):
		return "Reported"
	case !IsTrue(run, v1alpha1.ConditionAccepted):
		if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted); c != nil && c.Reason == ReasonQueued {
			return ReasonQueued
		}
		return "Pending"
	case ready == nil:
		return "Deploying"
	case ready.Status != metav1.ConditionTrue:
		return "Starting"
	}
	before := ""
	for i := range run.Spec.Workloads {
		w := FindWorkload(run, run.Spec.Workloads[i].Name)
		switch {
		case through(w):
			before = w.Name
			continue
		case len(w.Conditions) == 0 && latestFault(run, before) != nil:
			return "Healed" // and nobody has looked yet whether the store is whole
		}
		return phaseOfWorkload(w)
	}
	return "Collecting"
}

func phaseOfWorkload(w *v1alpha1.WorkloadStatus) string {
	switch {
	case meta.IsStatusConditionPresentAndEqual(w.Conditions, v1alpha1.ConditionStoreWhole, metav1.ConditionUnknown):
		return ReasonRecovering
	case !meta.IsStatusConditionTrue(w.Conditions, v1alpha1.ConditionLoaded):
		return "Loading"
	case meta.FindStatusCondition(w.Conditions, v1alpha1.ConditionArmed) == nil:
		return "Loaded"
	case !meta.IsStatusConditionTrue(w.Conditions, v1alpha1.ConditionArmed):
		return "Arming"
	case w.StartedAtUnixNanos == 0:
		return "Armed"
	case !meta.IsStatusConditionTrue(w.Conditions, v1alpha1.ConditionMeasured):
		return phaseMeasuring
	}
	return "Healing"
}

// through says that nothing is left to be done of a workload.
func through(w *v1alpha1.WorkloadStatus) bool {
	return meta.FindStatusCondition(w.Conditions, v1alpha1.ConditionFaultsHealed) != nil
}

// shownWorkload is the workload whose turn it is. Once the run has figures, it is the workload that they
// are of.
func shownWorkload(run *v1alpha1.BenchmarkRun) string {
	if s := run.Status.Summary; s != nil && s.Workload != "" {
		return s.Workload
	}
	shown := ""
	for i := range run.Spec.Workloads {
		shown = run.Spec.Workloads[i].Name
		if !through(FindWorkload(run, shown)) {
			break
		}
	}
	return shown
}
