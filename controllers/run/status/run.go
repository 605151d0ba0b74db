package status

import (
	"crypto/sha256"
	"encoding/hex"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// HasOwnChart says that the store is of a chart that the run brings.
func HasOwnChart(run *v1alpha1.BenchmarkRun) bool { return run.Spec.Store.Chart != nil }

// ToReport says that the report is neither made nor given up.
func ToReport(run *v1alpha1.BenchmarkRun) bool {
	reported := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReported)
	return reported == nil || reported.Status == metav1.ConditionUnknown
}

// OnEndpoints says that the store runs already: there is no release, and nothing of it is the
// run's.
func OnEndpoints(run *v1alpha1.BenchmarkRun) bool { return len(run.Spec.Store.Endpoints) > 0 }

// PodsOfEndpoints are the pods that the run's endpoints name, in its namespace.
func PodsOfEndpoints(run *v1alpha1.BenchmarkRun) []string {
	var pods []string
	for i := range run.Spec.Store.Endpoints {
		if pod := run.Spec.Store.Endpoints[i].Pod; pod != "" {
			pods = append(pods, pod)
		}
	}
	return pods
}

// Finished says that nothing is to be done any more: ended, with nothing left that was stuck
// when its teardown ran out of time, and not being deleted.
func Finished(run *v1alpha1.BenchmarkRun) bool {
	return run.DeletionTimestamp.IsZero() && Ended(run) &&
		!meta.IsStatusConditionFalse(run.Status.Conditions, v1alpha1.ConditionCleanedUp)
}

// Digest is the SHA-256 of a content, in hex, as status.planSHA256 has it.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// NothingLeft says that everything was seen to be gone. A store that is retained is not.
func NothingLeft(run *v1alpha1.BenchmarkRun) bool {
	cleaned := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionCleanedUp)
	return cleaned != nil && cleaned.Status == metav1.ConditionTrue && cleaned.Reason != ReasonRetained
}

// Tearing says that only the removal of what the run made is left to do.
func Tearing(run *v1alpha1.BenchmarkRun) bool {
	return !run.DeletionTimestamp.IsZero() || IsTrue(run, ConditionFailing) || IsTrue(run, v1alpha1.ConditionReported)
}

// Ended says that the run is complete, or failed.
func Ended(run *v1alpha1.BenchmarkRun) bool {
	return IsTrue(run, v1alpha1.ConditionComplete) || IsTrue(run, v1alpha1.ConditionFailed)
}

// Waits says that a run has not had its turn: it waits for it, or for being admitted. An
// earlier run that nobody has looked at yet comes first all the same.
func Waits(run *v1alpha1.BenchmarkRun) bool {
	return run.DeletionTimestamp.IsZero() && !IsTrue(run, v1alpha1.ConditionAccepted) && !Ended(run)
}

// Admitted says that the run's plan is kept.
func Admitted(run *v1alpha1.BenchmarkRun) bool { return run.Status.PlanSHA256 != "" }

// Measured says whether any workload was started, so that there is something to report.
func Measured(run *v1alpha1.BenchmarkRun) bool {
	for i := range run.Status.Workloads {
		if run.Status.Workloads[i].StartedAtUnixNanos != 0 {
			return true
		}
	}
	return false
}

// Retains says whether the store is kept. Deleting the run removes it in any case.
func Retains(run *v1alpha1.BenchmarkRun) bool {
	if !run.DeletionTimestamp.IsZero() {
		return false
	}
	switch run.Spec.Retain {
	case v1alpha1.RetainAlways:
		return true
	case v1alpha1.RetainOnFailure:
		return IsTrue(run, ConditionFailing)
	}
	return false
}
