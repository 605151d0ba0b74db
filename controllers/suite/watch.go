package suite

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// newsOfRuns lets those changes of runs through that a pass may decide by. A run writes its progress each second, and a pass looks at
// all runs of the suite.
func newsOfRuns() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return newsOf(e.ObjectOld) != newsOf(e.ObjectNew) }}
}

// news is what passes look at of a run that exists, as far as it changes.
type news struct {
	owner               types.UID
	deleted, ended      bool
	failed, complete    metav1.ConditionStatus
	reported, valid     metav1.ConditionStatus
	passed, storeReady  metav1.ConditionStatus
	measured, notValids int // workloads, and reasons of the run
}

func newsOf(object client.Object) news {
	run, is := object.(*v1alpha1.BenchmarkRun)
	if !is {
		return news{}
	}
	status := func(kind string) metav1.ConditionStatus {
		if found := meta.FindStatusCondition(run.Status.Conditions, kind); found != nil {
			return found.Status
		}
		return ""
	}
	of := news{
		deleted: run.DeletionTimestamp != nil, ended: run.Status.CompletionTime != nil,
		failed: status(v1alpha1.ConditionFailed), complete: status(v1alpha1.ConditionComplete), reported: status(v1alpha1.ConditionReported),
		valid: status(v1alpha1.ConditionValid), passed: status(v1alpha1.ConditionPassed), storeReady: status(v1alpha1.ConditionStoreReady),
		notValids: len(run.Status.InvalidReasons),
	}
	if owner := metav1.GetControllerOf(run); owner != nil {
		of.owner = owner.UID
	}
	for i := range run.Status.Workloads {
		if meta.IsStatusConditionTrue(run.Status.Workloads[i].Conditions, v1alpha1.ConditionMeasured) {
			of.measured++
		}
	}
	return of
}
