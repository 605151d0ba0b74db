package frame

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Matrix has a row for each combination of the suite that is measured, with a cell for each block. runs are those of the suite's
// namespace; only those that the suite owns count. adopted are trials that it took over from an earlier suite, as the results server
// tells them. A suite that searches has no rows before it has found its rates.
func Matrix(of *v1alpha1.BenchmarkSuite, runs []v1alpha1.BenchmarkRun, adopted []manifest.Trial) ([]Row, error) {
	if !suite.SearchIsOver(of) {
		return nil, nil
	}
	combinations, problems := suite.Expand(&of.Spec)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the suite's combinations can't be made: %s", problems)
	}
	var measured []bool
	if of.Spec.Search != nil {
		measured = suite.FillRates(combinations, of.Status.Search)
	}
	stores, err := suite.Stores(&of.Spec, combinations, measured)
	if err != nil {
		return nil, err
	}
	blocks := suite.Blocks(of)
	m := &matrix{of: of, byName: map[string]*v1alpha1.BenchmarkRun{}, cells: map[suite.Trial]Cell{}}
	for i := range runs {
		if metav1.IsControlledBy(&runs[i], of) {
			m.byName[runs[i].Name] = &runs[i]
		}
	}
	for _, trial := range adopted {
		m.adopt(trial)
	}
	turns := suite.Turns(suite.Seed(of), stores, blocks)
	for i := range turns {
		m.fill(&turns[i])
	}
	var rows []Row
	for c := range combinations {
		if measured != nil && !measured[c] {
			continue
		}
		row := Row{Combination: combinations[c].Name(), Cells: make([]Cell, blocks)}
		for block := range blocks {
			row.Cells[block] = m.at(suite.Trial{Block: block, Combination: c})
		}
		rows = append(rows, row)
	}
	return rows, nil
}

type matrix struct {
	of     *v1alpha1.BenchmarkSuite
	byName map[string]*v1alpha1.BenchmarkRun // that the suite owns
	cells  map[suite.Trial]Cell
}

// at is a trial's cell. One without a run waits.
func (m *matrix) at(trial suite.Trial) Cell {
	if cell, known := m.cells[trial]; known {
		return cell
	}
	return Cell{State: TrialWaiting}
}

// put notes a run of a trial. The runs before it were spoilt, or it would not be there.
func (m *matrix) put(trial suite.Trial, run string, state CellState, reasons []string, outcome manifest.Outcome) {
	before := m.at(trial)
	repeats := before.Repeats
	if before.Run != "" && before.State != TrialWaiting { // a spoilt one that waits is counted already
		repeats++
	}
	cell := Cell{State: state, Repeats: repeats, Run: run}
	again := state == TrialNotValid && repeats < suite.Retries(&m.of.Spec) && suite.Repeatable(outcome, reasons)
	if again && !Over(m.of.Status.Conditions) {
		cell.State, cell.Repeats = TrialWaiting, repeats+1
	}
	m.cells[trial] = cell
}

// adopt notes the runs of an earlier suite.
func (m *matrix) adopt(trial manifest.Trial) {
	for _, attempt := range trial.Attempts {
		if !attempt.Adopted {
			continue
		}
		state := TrialNotValid
		if attempt.Outcome == manifest.Valid {
			state = TrialValid
		}
		m.put(suite.Trial{Block: trial.Block, Combination: trial.Combination}, attempt.Run, state, attempt.Reasons, attempt.Outcome)
	}
}

// fill notes the runs of a turn, in the order of their attempts.
func (m *matrix) fill(turn *suite.Turn) {
	// An attempt in which a combination was never begun is none of its own, so that a shared run may have more of them.
	most := (1 + suite.Retries(&m.of.Spec)) * (1 + len(turn.Combinations))
	for attempt := range most {
		run, exists := m.byName[suite.RunName(m.of.Name, turn, attempt)]
		if !exists {
			continue // attempts are counted on from those of an earlier suite
		}
		for _, trial := range turn.Trials() {
			result, has := resultOf(run, turn.Shared, trial.Combination)
			if has {
				m.put(trial, run.Name, result.state, result.reasons, result.outcome)
			}
		}
	}
}
