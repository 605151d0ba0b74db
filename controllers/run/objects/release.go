package objects

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// CatalogRelease is the Helm release of a store of the catalog.
func (r *Maker) CatalogRelease(run *v1alpha1.BenchmarkRun, p *plan.Plan) (helm.Release, error) {
	values, err := r.withRejoin(p)
	return helm.Release{
		Name: p.Run.ID, Namespace: run.Namespace, Chart: catalogChart(p), Values: values,
		Labels: names.RunLabels(run, names.RoleStore),
	}, err
}

func catalogChart(p *plan.Plan) fs.FS {
	chart, err := fs.Sub(charts.Stores(), p.Store.Chart)
	if err != nil {
		return charts.Stores() // a chart that isn't there fails to load, with its name
	}
	return chart
}

// EffectiveValues are those that a store of the catalog is deployed with, for the report; nil for
// others. rejoin is left out: its image is kvbench's, which is no setting of the store, and in no plan.
func EffectiveValues(p *plan.Plan) (json.RawMessage, error) {
	if p.Store.Chart == "" {
		return nil, nil
	}
	values, err := helm.Values(helm.Release{Chart: catalogChart(p), Values: p.Store.Values})
	if err != nil {
		return nil, fmt.Errorf("reading the values of the chart %s: %w", p.Store.Chart, err)
	}
	delete(values, "rejoin")
	return json.Marshal(values)
}

// withRejoin are the plan's values, and the image of kvbench where members need its help to come
// back.
func (r *Maker) withRejoin(p *plan.Plan) ([]byte, error) {
	if !p.Store.Rejoins {
		return p.Store.Values, nil
	}
	values := map[string]any{}
	if err := json.Unmarshal(p.Store.Values, &values); err != nil {
		return nil, fmt.Errorf("reading the values of the plan: %w", err)
	}
	secrets := []any{}
	for _, secret := range r.Config.PullSecrets {
		secrets = append(secrets, map[string]any{"name": secret.Name})
	}
	values["rejoin"] = map[string]any{"image": r.Config.LoadgenImage, "pullSecrets": secrets}
	return json.Marshal(values)
}
