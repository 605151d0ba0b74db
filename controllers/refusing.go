package controllers

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// A results server that is away, full, or refuses the token may take the same request later.
// Each step that needs it has a deadline of its own, which counts from the first attempt that
// failed, and then ends the run with the server's words.

// resultsReason is otherwise, but for a results server whose volume is full.
func resultsReason(err error, otherwise string) string {
	if errors.Is(err, results.ErrFull) {
		return reasonDiskFull
	}
	return otherwise
}

// notRegistered is for a run that has the right to run, and that the results server doesn't take
// yet: others wait behind it.
func notRegistered(o *observed, err error) error {
	reason, message := resultsReason(err, reasonAdmitting), "it is this run's turn, and it can't begin yet: "+stable(err)
	tried := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionAccepted)
	switch {
	case tried == nil || tried.Reason != reasonAdmitting && tried.Reason != reasonDiskFull:
		setConditionAnew(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, reason, message)
	case since(o, v1alpha1.ConditionAccepted) > admitDeadline:
		failing(o, fail(resultsReason(err, "AdmitTimedOut"), "it was the run's turn, and it could not begin within %s: %s", admitDeadline, stable(err)))
		return nil
	default:
		setCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, reason, message)
	}
	return err
}

// startDeadline bounds the attempts to post a start.
const startDeadline = 5 * time.Minute

// decideStart posts the workload's start, for as long as may be tried.
func decideStart(o *observed, w *plan.Workload) decision {
	c := workloadCondition(o.Run, w.Name, v1alpha1.ConditionMeasured)
	if c == nil || o.Now.Sub(c.LastTransitionTime.Time) <= startDeadline {
		return decision{Verb: doStart, Workload: w.Name}
	}
	reason := "StartTimedOut"
	if c.Reason == reasonDiskFull {
		reason = reasonDiskFull
	}
	return fail(reason, "workload %s could not be started within %s%s", w.Name, startDeadline, because(c.Message))
}

// notStarted notes why a start could not be posted yet.
func notStarted(o *observed, workload string, err error) error {
	setWorkload(o.Run, decision{
		Workload: workload, Condition: v1alpha1.ConditionMeasured,
		Reason: resultsReason(err, reasonNotPosted), Message: stable(err),
	}, metav1.ConditionUnknown)
	return err
}

// notStored notes why there is no report yet.
func notStored(o *observed, err error) error {
	setCondition(o.Run, v1alpha1.ConditionReported, metav1.ConditionUnknown, resultsReason(err, reasonNotStored), stable(err))
	return err
}

// triedToCollect is the note of the attempts to make the report that failed, nil without
// one, and late when the first of them is so long ago that there is to be no other.
func triedToCollect(o *observed) (tried *metav1.Condition, late bool) {
	tried = meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionReported)
	if tried == nil || tried.Status != metav1.ConditionUnknown {
		return nil, false
	}
	return tried, o.Now.Sub(tried.LastTransitionTime.Time) > mergeDeadline(o)
}
