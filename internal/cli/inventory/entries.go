package inventory

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// Kept is the phase of what the results server has and the cluster hasn't.
const Kept = "Kept"

// Verdicts on objectives.
const (
	Passed  = "Passed"
	Failed  = "Failed"
	Unknown = "Unknown"
)

// Of is what a resource of the cluster is known as: a *BenchmarkRun, or a *BenchmarkSuite.
func Of(object client.Object) *Entry {
	var e Entry
	switch object := object.(type) {
	case *v1alpha1.BenchmarkRun:
		e = ofRun(object)
	case *v1alpha1.BenchmarkSuite:
		e = ofSuite(object)
	}
	return &e
}

func ofRun(run *v1alpha1.BenchmarkRun) Entry {
	e := Entry{Kind: Run, Namespace: run.Namespace, Name: run.Name, UID: string(run.UID), Store: run.Spec.Store.Name, Mode: run.Status.Mode,
		Members: int(run.Spec.Store.Nodes),
		Phase:   run.Status.Phase, InCluster: true, RunResource: run, InvalidReasons: run.Status.InvalidReasons}
	for _, w := range run.Status.Workloads {
		if w.StartedAtUnixNanos != 0 && (e.Started == nil || w.StartedAtUnixNanos < e.Started.UnixNano()) {
			e.Started = instant(w.StartedAtUnixNanos)
		}
	}
	complete(&e, run.Status.Conditions)
	return e
}

func ofSuite(suite *v1alpha1.BenchmarkSuite) Entry {
	e := Entry{Kind: Suite, Namespace: suite.Namespace, Name: suite.Name, UID: string(suite.UID), Phase: suite.Status.Phase, InCluster: true,
		SuiteResource: suite, Reported: suite.Status.Report != nil}
	if suite.Status.StartTime != nil {
		e.Started = &suite.Status.StartTime.Time
	}
	complete(&e, suite.Status.Conditions)
	e.Valid = nil // a suite has many runs
	return e
}

// complete adds what the conditions say.
func complete(e *Entry, conditions []metav1.Condition) {
	if e.Phase == "" {
		e.Phase = "Pending"
	}
	e.Reported = e.Reported || meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReported)
	if c := meta.FindStatusCondition(conditions, v1alpha1.ConditionValid); c != nil && c.Status != metav1.ConditionUnknown {
		valid := c.Status == metav1.ConditionTrue
		e.Valid = &valid
	}
	if c := meta.FindStatusCondition(conditions, v1alpha1.ConditionPassed); c != nil {
		e.Verdict = map[metav1.ConditionStatus]string{metav1.ConditionTrue: Passed, metav1.ConditionFalse: Failed, metav1.ConditionUnknown: Unknown}[c.Status]
	}
}

func ofKeptRun(run *wire.RunSummary) Entry {
	e := Entry{Kind: Run, Namespace: run.Namespace, Name: run.Name, UID: run.UID, Store: run.Store, Mode: run.Mode, Members: run.Members,
		Phase: Kept, Reported: run.Reported, Started: instant(run.StartedAtUnixNanos)}
	if run.Judgement != nil {
		e.Valid, e.InvalidReasons, e.Verdict = &run.Judgement.Valid, run.Judgement.InvalidReasons, run.Judgement.Verdict
	}
	return e
}

func ofKeptSuite(suite *wire.SuiteSummary) Entry {
	return Entry{Kind: Suite, Namespace: suite.Namespace, Name: suite.Name, UID: suite.UID, Phase: Kept, Reported: true}
}

func instant(unixNanos int64) *time.Time {
	if unixNanos == 0 {
		return nil
	}
	at := time.Unix(0, unixNanos)
	return &at
}
