// Package storechart knows the charts of the catalog's stores: which one a plan is deployed with, and what they say of values
// that they don't take.
package storechart

import (
	"io/fs"

	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// Of is the chart of the plan's store.
func Of(p *plan.Plan) fs.FS {
	chart, err := fs.Sub(charts.Stores(), p.Store.Chart)
	if err != nil {
		return charts.Stores() // a chart that isn't there fails to load, with its name
	}
	return chart
}

// Check renders the chart with the plan's values. Its error is a *compile.Refusal. A store that no chart of the catalog deploys
// is not looked at.
func Check(p *plan.Plan) error {
	if p.Store.Chart == "" {
		return nil
	}
	release := helm.Release{Name: p.Run.ID, Namespace: p.Run.Namespace, Chart: Of(p), Values: p.Store.Values}
	if _, err := helm.Render(release); err != nil {
		return Unrendered(p.Store.Name, err)
	}
	return nil
}
