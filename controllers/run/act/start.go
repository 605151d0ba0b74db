package act

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// start posts the start time. The server keeps the first one, so that a repeated post
// changes nothing.
func (r *Actor) start(ctx context.Context, o *state.Observed, workload string) error {
	started, err := r.Results.StartIn(ctx, string(o.Run.UID), workload, decide.StartIn)
	if err != nil {
		return notStarted(o, workload, fmt.Errorf("posting the start of workload %s: %w", workload, err))
	}
	noted := status.EnsureWorkload(o.Run, workload)
	noted.StartedAtUnixNanos = started.StartUnixNanos
	meta.RemoveStatusCondition(&noted.Conditions, v1alpha1.ConditionMeasured) // of attempts that failed
	r.Clock.Begin()
	return nil
}

// progress notes how far the measurement is, where people would see a difference: each note is a
// write, and a row of kubectl get -w.
func (r *Actor) progress(o *state.Observed, workload string) error {
	if o.ServerNow.IsZero() {
		return nil
	}
	w, _ := o.Plan.FindWorkload(workload)
	begin := time.Unix(0, status.FindWorkload(o.Run, workload).StartedAtUnixNanos).Add(time.Duration(w.Load.WarmupMillis) * time.Millisecond)
	noted := o.Run.Status.Progress
	now := status.ProgressAt(w, o.ServerNow.Sub(begin))
	if noted == nil || noted.Workload != now.Workload || status.HowFar(noted) != status.HowFar(now) {
		o.Run.Status.Progress = now
	}
	return nil
}
