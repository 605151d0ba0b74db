// Package storechart refuses runs whose store's chart doesn't take their values.
package storechart

import (
	"fmt"

	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/storechart"
)

// Check renders the chart with the plan's values. Its error is a *compile.Refusal.
func Check(p *plan.Plan) error {
	if err := storechart.Render(p); err != nil {
		return Unrendered(p.Store.Name, err)
	}
	return nil
}

// Unrendered is the refusal of values that the store's chart doesn't take.
func Unrendered(store string, err error) error {
	return &compile.Refusal{Reason: "ChartDoesNotRender", Message: fmt.Sprintf(
		"store %s: its chart doesn't render with spec.store.values: %s: correct them, docs/stores/%s.md has its settings",
		store, message.Cut(storechart.Trouble(err), 700), store)}
}
