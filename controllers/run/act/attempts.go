package act

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// A results server that is away, full, or refuses the token may take the same request later.
// Each step that needs it has a deadline of its own, which counts from the first attempt that
// failed, and then ends the run with the server's words.

// resultsReason is otherwise, but for a results server whose volume is full.
func resultsReason(err error, otherwise string) string {
	if errors.Is(err, results.ErrFull) {
		return status.ReasonDiskFull
	}
	return otherwise
}

// notRegistered is for a run that has the right to run, and that the results server doesn't take
// yet: others wait behind it.
func notRegistered(o *state.Observed, err error) error {
	reason, text := resultsReason(err, status.ReasonAdmitting), "it is this run's turn, and it can't begin yet: "+message.Stable(err)
	tried := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionAccepted)
	switch {
	case tried == nil || tried.Reason != status.ReasonAdmitting && tried.Reason != status.ReasonDiskFull:
		status.SetConditionAnew(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, reason, text)
	case decide.Since(o, v1alpha1.ConditionAccepted) > decide.AdmitDeadline:
		failing(o, decide.Fail(resultsReason(err, "AdmitTimedOut"), "it was the run's turn, and it could not begin within %s: %s", decide.AdmitDeadline, message.Stable(err)))
		return nil
	default:
		status.SetCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, reason, text)
	}
	return err
}

// notStarted notes why a start could not be posted yet.
func notStarted(o *state.Observed, workload string, err error) error {
	setWorkload(o.Run, decide.Decision{
		Workload: workload, Condition: v1alpha1.ConditionMeasured,
		Reason: resultsReason(err, status.ReasonNotPosted), Message: message.Stable(err),
	}, metav1.ConditionUnknown)
	return err
}

// notStored notes why there is no report yet.
func notStored(o *state.Observed, err error) error {
	status.SetCondition(o.Run, v1alpha1.ConditionReported, metav1.ConditionUnknown, resultsReason(err, status.ReasonNotStored), message.Stable(err))
	return err
}
