package findings

import (
	"slices"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Search is the highest rate at which objectives are kept, in each combination of the other axes.
type Search struct {
	Objectives []string     `json:"objectives"` // for people
	Found      []FoundRates `json:"found"`
	// UnderWay says that rates are still tried, and that there are no trials yet.
	UnderWay bool `json:"underWay,omitempty"`
	// Ratios are of each value of an axis with the axis' first one, all else alike.
	Ratios []SearchRatio `json:"ratios"`
}

// SearchRatio is between which bounds the highest rates of two combinations have their ratio, if each is between the two rates that its
// search found. They are no interval of a probability: a rate was tried once. A bound that isn't known is null.
type SearchRatio struct {
	Axis    string           `json:"axis"`
	Value   string           `json:"value"`
	Against string           `json:"against"`
	With    []manifest.Label `json:"with"` // on the other axes
	Low     *float64         `json:"low"`
	High    *float64         `json:"high"`
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
	made := &Search{Objectives: of.Texts, Found: []FoundRates{}, Ratios: []SearchRatio{}, UnderWay: of.UnderWay}
	for i := range of.Found {
		found := &of.Found[i]
		made.Found = append(made.Found, FoundRates{
			With: append([]manifest.Label{}, found.With...), Tried: append([]manifest.Tried{}, found.Tried...), Why: found.Why,
			Holds: r.rateOf(found.Holds, of.Objectives), Misses: r.rateOf(found.Misses, of.Objectives),
		})
	}
	if !of.UnderWay {
		made.compare(r.Axes)
	}
	return made
}

// warnings name the searches that ended early.
func (s *Search) warnings() (all []string) {
	if s == nil {
		return nil
	}
	for i := range s.Found {
		if f := &s.Found[i]; f.Why != "" {
			all = append(all, manifest.NameOf(f.With)+": the highest rate isn't known, since the search ended early: "+f.Why)
		}
	}
	return all
}

// compare compares the rates of each value of an axis with those of its first one.
func (s *Search) compare(axes []manifest.Axis) {
	for at, axis := range axes {
		if axis.Name == manifest.SearchAxis {
			continue
		}
		for i := range s.Found {
			one := &s.Found[i]
			if one.With[at].Value == axis.Values[0] {
				continue
			}
			like := slices.Clone(one.With)
			like[at].Value = axis.Values[0]
			other := slices.IndexFunc(s.Found, func(f FoundRates) bool { return slices.Equal(f.With, like) })
			if other < 0 {
				continue
			}
			s.Ratios = append(s.Ratios, SearchRatio{
				Axis: axis.Name, Value: one.With[at].Value, Against: axis.Values[0], With: slices.Delete(slices.Clone(one.With), at, at+1),
				Low: ratioOfRates(one.Holds, s.Found[other].Misses), High: ratioOfRates(one.Misses, s.Found[other].Holds),
			})
		}
	}
}

func ratioOfRates(one, other *FoundRate) *float64 {
	if one == nil || other == nil {
		return nil
	}
	ratio := float64(one.Rate) / float64(other.Rate)
	return &ratio
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
