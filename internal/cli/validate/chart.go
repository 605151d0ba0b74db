package validate

import (
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/storechart"
)

// charts are those that were rendered, by their names and values, with what is wrong with them: many runs have the same, and
// rendering takes longer than all else.
type charts map[string]error

// check refuses values of spec.store that the store's chart doesn't take.
func (c charts) check(p *plan.Plan) error {
	key := p.Store.Chart + "\x00" + string(p.Store.Values)
	err, known := c[key]
	if !known {
		err = storechart.Render(p)
		c[key] = err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("spec.store.values: the chart of %s doesn't render with them: %s: correct them, docs/stores/%s.md has its settings",
		p.Store.Name, storechart.Trouble(err), p.Store.Name)
}

// checkSize refuses a plan that no ConfigMap holds.
func checkSize(p *plan.Plan) error {
	whole := *p
	var err error
	if whole.Store.EffectiveValues, err = storechart.EffectiveValues(p); err != nil {
		return err
	}
	document, err := json.Marshal(&whole)
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return compile.CheckSize(document)
}
