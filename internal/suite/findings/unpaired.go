package findings

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// unknown are chances of what proves nothing.
var unknown = &stats.Chances{Good: 1, Bad: 1}

// lookBack compares a combination with one of a baseline, whose trials were at another time. other is nil where there is none.
func (r *Report) lookBack(o *manifest.Objective, one, other *Combination, judged *Judged, unlike *likeness) (*stats.Chances, error) {
	if other == nil {
		judged.Why = fmt.Sprintf("the baseline %s isn't kept here, or has no such combination", o.Against)
		return unknown, nil
	}
	judged.Baseline = other.Labels
	if differences := unlike.across(one, other, r.fieldsBeside(other.Labels)); len(differences) > 0 {
		judged.Why = notComparable(differences)
		return unknown, nil
	}
	of := objective.Subject{Workload: judged.Workload, Operation: judged.Operation}
	if why := incomparable(&o.Objective, one, other, of); why != "" {
		judged.Why = why
		return unknown, nil
	}
	first, second := one.rangesOf(&o.Objective, of, one.blocks()), other.rangesOf(&o.Objective, of, other.blocks())
	judged.Figure.Trials = min(len(first), len(second))
	judged.Why = withoutFigures(first, second)
	if a, b := knownOf(first), knownOf(second); len(a) > 0 && len(b) > 0 {
		ratio, err := stats.Ratio(a, b, r.Confidence)
		if err != nil {
			return nil, err
		}
		judged.Figure = estimateOf(ratio)
		if len(a) < len(first) || len(b) < len(second) { // the interval would be of other trials than the verdict
			judged.Figure = Estimate{Value: finite(ratio.Value)}
		}
		judged.Figure.Trials = min(len(first), len(second))
	}
	bound, higher := objective.Bound(&o.Objective)
	chances, err := stats.UnpairedRatioChances(first, second, bound, higher)
	if err != nil {
		return nil, err
	}
	best, err := stats.UnpairedRatioChances(firmly(len(first), 1), firmly(len(second), 2), 1, false)
	if err != nil {
		return nil, err
	}
	if judged.Why == "" && best.Good > (1-r.Confidence)/2 {
		judged.Why = fmt.Sprintf("%d trials, and %d of the baseline, are too few", len(first), len(second))
	}
	return &chances, nil
}

// firmly is as many trials that all found the same.
func firmly(trials int, figure float64) []stats.Range {
	all := make([]stats.Range, trials)
	for i := range all {
		all[i] = stats.Range{Low: figure, High: figure}
	}
	return all
}

// knownOf are the figures that have a ratio to others.
func knownOf(ranges []stats.Range) (values []float64) {
	for _, r := range ranges {
		if isKnown(r) {
			values = append(values, r.Low)
		}
	}
	return values
}

// across are the differences between any trial of one and any of the other, beside the fields that are meant and those that are
// accepted.
func (l *likeness) across(one, other *Combination, meant []string) (all []fingerprint.Difference) {
	seen := map[[2]int]bool{}
	for _, i := range one.blocks() {
		for _, j := range other.blocks() {
			if a, b := one.trials[i], other.trials[j]; a != nil && b != nil {
				all = l.add(all, seen, a, b, meant)
			}
		}
	}
	return all
}

// fieldsBeside are those of the axes that a baseline with these labels doesn't have: it has one value of each. A rate that was searched
// for is none that the baseline had.
func (r *Report) fieldsBeside(labels []manifest.Label) (fields []string) {
	for _, axis := range r.Axes {
		if axis.Name == manifest.SearchAxis {
			continue
		}
		if !slices.ContainsFunc(labels, func(l manifest.Label) bool { return l.Axis == axis.Name }) {
			fields = append(fields, axis.Fields...)
		}
	}
	return fields
}
