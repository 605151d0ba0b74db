// Package storechart knows the charts of the catalog's stores: which one a plan is deployed with, and what it says of values that
// it doesn't take. The controllers and the command line ask it, so that both say the same.
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

// Render tries the chart with the plan's values. Trouble says of its error what is wrong. A store that no chart of the catalog
// deploys is not looked at.
func Render(p *plan.Plan) error {
	if p.Store.Chart == "" {
		return nil
	}
	_, err := helm.Render(helm.Release{Name: p.Run.ID, Namespace: p.Run.Namespace, Chart: Of(p), Values: p.Store.Values})
	return err
}
