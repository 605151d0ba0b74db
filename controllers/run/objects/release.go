package objects

import (
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/storechart"
)

// CatalogRelease is the Helm release of a store of the catalog.
func (r *Maker) CatalogRelease(run *v1alpha1.BenchmarkRun, p *plan.Plan) (helm.Release, error) {
	values, err := r.memberValues(run, p)
	return helm.Release{
		Name: p.Run.ID, Namespace: run.Namespace, Chart: storechart.Of(p), Values: values,
		Labels: names.RunLabels(run, names.RoleStore),
	}, err
}

// memberValues are the plan's values, and over them what is no setting of the store: where members are, the Secrets with
// which their images are pulled, and the image of kvbench where members need its help to come back.
func (r *Maker) memberValues(run *v1alpha1.BenchmarkRun, p *plan.Plan) ([]byte, error) {
	values := map[string]any{}
	if err := json.Unmarshal(p.Store.Values, &values); err != nil {
		return nil, fmt.Errorf("reading the values of the plan: %w", err)
	}
	scheduling := membersScheduling(run, p)
	if p.Store.Rejoins {
		values["rejoin"] = map[string]any{"image": r.Config.LoadgenImage}
		scheduling.ImagePullSecrets = pullSecrets(run, r.Config.PullSecrets)
	}
	encoded, err := json.Marshal(scheduling)
	if err != nil {
		return nil, err
	}
	// Its fields are laid over the values.
	if err := json.Unmarshal(encoded, &values); err != nil {
		return nil, err
	}
	return json.Marshal(values)
}
