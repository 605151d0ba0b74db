package observe

import (
	"context"
	"fmt"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/helm"
)

// readRelease asks Helm only where the answer decides something: it reads Secrets.
func (r *Reader) readRelease(ctx context.Context, o *state.Observed) error {
	deploying := o.Plan != nil && !status.IsTrue(o.Run, v1alpha1.ConditionStoreReady)
	if o.NamespaceGoing || !deploying && !status.Tearing(o.Run) || status.NothingLeft(o.Run) && !o.PlanExists {
		return nil
	}
	if status.OnEndpoints(o.Run) {
		o.Store.Release = state.ReleaseAbsent
		return nil
	}
	releases, _, err := r.Releases(o.Run.Namespace, names.ServiceAccount(o.Run))
	if err != nil {
		return err
	}
	found, err := releases.State(ctx, names.RunID(o.Run))
	if helm.IsForbidden(err) {
		o.Store.Release, o.Store.Refusal = state.ReleaseForbidden, err.Error()
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the Helm release %s as service account %s: %w", names.RunID(o.Run), names.ServiceAccount(o.Run), err)
	}
	o.Store.Release = stateOfRelease(found)
	return nil
}

func stateOfRelease(found helm.State) state.Release {
	switch found.Status {
	case helm.Absent:
		return state.ReleaseAbsent
	case helm.Deployed:
		return state.ReleaseDeployed
	}
	return state.ReleaseBroken
}
