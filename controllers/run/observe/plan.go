package observe

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

// filesLost says that the plan's files are not there any more, or are others. What is in them
// the pods look at: the cache has no contents.
func (r *Reader) filesLost(ctx context.Context, o *state.Observed) (bool, error) {
	if o.Plan == nil || len(o.Plan.Files) == 0 {
		return false, nil
	}
	held := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKey{Namespace: o.Run.Namespace, Name: names.FilesName(o.Plan.Run.ID)}, held)
	if err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	return !names.MadeFor(o.Run, held), nil
}

// ReadPlan reads the plan that was kept. What isn't that any more, because somebody changed
// or replaced it, is no plan: its ConfigMap lies where the run's author may write.
func (r *Reader) ReadPlan(ctx context.Context, o *state.Observed) error {
	held := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: o.Run.Namespace, Name: names.PlanName(names.RunID(o.Run))}
	if err := r.Get(ctx, key, held); err != nil {
		return client.IgnoreNotFound(err)
	}
	if held.Labels[names.LabelUID] != string(o.Run.UID) || !names.MadeFor(o.Run, held) {
		return nil
	}
	o.PlanExists, o.PlanUID, o.PlanText = true, held.UID, held.Data[plan.FileName]
	o.Plan, o.PlanTrouble = parsePlan(o.Run, o.PlanText)
	return nil
}

// parsePlan returns nil, and why, for what isn't the plan that was kept for this run.
func parsePlan(run *v1alpha1.BenchmarkRun, text string) (*plan.Plan, string) {
	if kept := run.Status.PlanSHA256; kept != "" && kept != status.Digest([]byte(text)) {
		return nil, "it is not the plan that the run was admitted with"
	}
	parsed := &plan.Plan{}
	if err := json.Unmarshal([]byte(text), parsed); err != nil {
		return nil, "it can't be read: " + err.Error()
	}
	if parsed.Format != plan.Format || parsed.Run.UID != string(run.UID) {
		return nil, fmt.Sprintf("it has format %d and is of the run %s; this kvbench reads format %d", parsed.Format, parsed.Run.UID, plan.Format)
	}
	return parsed, ""
}
