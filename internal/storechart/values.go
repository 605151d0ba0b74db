package storechart

import (
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// EffectiveValues are those that a store of the catalog is deployed with, for the report; nil for
// others. What a run's pods have beside is left out, since it is no setting of the store.
func EffectiveValues(p *plan.Plan) (json.RawMessage, error) {
	if p.Store.Chart == "" {
		return nil, nil
	}
	values, err := helm.Values(helm.Release{Chart: Of(p), Values: p.Store.Values})
	if err != nil {
		return nil, fmt.Errorf("reading the values of the chart %s: %w", p.Store.Chart, err)
	}
	for name := range compile.PodValues {
		delete(values, name)
	}
	return json.Marshal(values)
}
