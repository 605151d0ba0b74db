package act

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/compile"
)

// admit says yes or no to a spec before anything is deployed. What can't be said now is
// tried again, for a while.
func (r *Actor) admit(ctx context.Context, o *state.Observed) (time.Duration, error) {
	err := r.checker().Admit(ctx, o)
	var refusal *compile.Refusal
	if errors.As(err, &refusal) {
		return 0, r.refuse(ctx, o, refusal)
	}
	if err == nil {
		reason, text := status.ReasonPlanned, "the spec makes sense, and its plan is kept"
		if d := decide.DecideQueue(o); d.Reason == status.ReasonQueued {
			reason, text = d.Reason, d.Message
		}
		status.SetCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, reason, text)
		return 0, nil
	}
	if decide.Since(o, v1alpha1.ConditionAccepted) > decide.AdmitDeadline {
		return 0, r.refuse(ctx, o, &compile.Refusal{Reason: resultsReason(err, "AdmitTimedOut"), Message: fmt.Sprintf("the run could not be admitted within %s: %s", decide.AdmitDeadline, message.Stable(err))})
	}
	status.SetCondition(o.Run, v1alpha1.ConditionAccepted, metav1.ConditionUnknown, resultsReason(err, status.ReasonAdmitting), "not admitted yet: "+message.Stable(err))
	return 0, err
}

// refuse ends a run that can't work. What an attempt to admit it may have kept is removed.
// What has taken a name is not: without it the run would be admitted after all, if the note
// of its end is lost.
func (r *Actor) refuse(ctx context.Context, o *state.Observed, refusal *compile.Refusal) error {
	run := o.Run
	err := errors.Join(r.checker().DeleteFiles(ctx, run), r.checker().DeleteChart(ctx, run))
	if refusal.Reason != status.ReasonNameTaken {
		err = errors.Join(err, r.deletePlan(ctx, o))
	}
	if err != nil {
		return err
	}
	status.SetCondition(run, v1alpha1.ConditionAccepted, metav1.ConditionFalse, refusal.Reason, refusal.Message)
	status.SetCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, status.ReasonNothingCreated, "nothing was created")
	status.SetCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue, refusal.Reason, refusal.Message)
	now := conditions.Stamp()
	run.Status.CompletionTime = &now
	return nil
}
