package findings

import (
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Search is the highest rate at which objectives are kept, in each combination of the other axes.
type Search struct {
	Objectives []string     `json:"objectives"` // for people
	Found      []FoundRates `json:"found"`
}

// FoundRates are what the search found, and what the trials say of it.
type FoundRates struct {
	With []manifest.Label `json:"with"` // on the other axes
	// Holds is the highest rate at which the objectives were kept, and Misses the lowest above it at which they weren't; null where
	// there is none.
	Holds  *FoundRate `json:"holds"`
	Misses *FoundRate `json:"misses"`
	// Tried are the rates that the search tried with one run each, in their order.
	Tried []manifest.Tried `json:"tried"`
	// Why the search ended early, if it did.
	Why string `json:"why,omitempty"`
}

// FoundRate is a rate, and in how many of its trials that have ended the objectives were kept. Unknown are those of which nobody
// knows, such as trials without valid numbers.
type FoundRate struct {
	Rate    int64 `json:"rate"` // operations/s
	Kept    int   `json:"kept"`
	Missed  int   `json:"missed"`
	Unknown int   `json:"unknown"`
}

// searched says what the search found; nil of a suite that doesn't search.
func (r *Report) searched(of *manifest.Search) *Search {
	if of == nil {
		return nil
	}
	made := &Search{Objectives: of.Texts, Found: []FoundRates{}}
	for i := range of.Found {
		found := &of.Found[i]
		made.Found = append(made.Found, FoundRates{
			With: append([]manifest.Label{}, found.With...), Tried: append([]manifest.Tried{}, found.Tried...), Why: found.Why,
			Holds: r.rateOf(found.Holds, of.Objectives), Misses: r.rateOf(found.Misses, of.Objectives),
		})
	}
	return made
}

func (r *Report) rateOf(point *manifest.Point, objectives []plan.Objective) *FoundRate {
	if point == nil {
		return nil
	}
	rate := &FoundRate{Rate: point.Rate}
	for _, run := range r.Combinations[point.Combination].trials {
		switch keeps(run, objectives) {
		case stats.Passed:
			rate.Kept++
		case stats.Failed:
			rate.Missed++
		default:
			rate.Unknown++
		}
	}
	return rate
}

// keeps says whether a run keeps all objectives by its own figures; nil is one without valid numbers.
func keeps(run *Run, objectives []plan.Objective) stats.Verdict {
	if run == nil {
		return stats.Unknown
	}
	var verdicts []stats.Verdict
	for i := range objectives {
		values := objective.Values(&objectives[i], &run.figures)
		if len(values) == 0 {
			verdicts = append(verdicts, stats.Unknown)
		}
		for _, value := range values {
			verdicts = append(verdicts, objective.Keeps(&objectives[i], value.Range))
		}
	}
	return stats.AllOf(verdicts)
}
