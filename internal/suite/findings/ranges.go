package findings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stats"
)

// ratioOf compares the figures of two combinations, block by block.
func ratioOf(o *plan.Objective, one, other *Combination, judged *Judged, confidence float64) (*stats.Chances, error) {
	blocks := slices.DeleteFunc(one.blocks(), func(block int) bool { _, ended := other.trials[block]; return !ended })
	of := objective.Subject{Workload: judged.Workload, Operation: judged.Operation}
	first, second := one.rangesOf(o, of, blocks), other.rangesOf(o, of, blocks)
	if why := incomparable(o, one, other, of); why != "" {
		judged.Why = why
		return unknown, nil
	}
	var a, b []float64
	for i := range blocks {
		if isKnown(first[i]) && isKnown(second[i]) {
			a, b = append(a, first[i].Low), append(b, second[i].Low)
		}
	}
	judged.Why = withoutFigures(first, second)
	ratio, err := stats.PairedRatio(a, b, confidence)
	switch {
	case errors.Is(err, stats.ErrNoTrials):
	case err != nil:
		return nil, err
	case len(a) == len(blocks):
		judged.Figure = estimateOf(ratio)
	default:
		judged.Figure.Value = finite(ratio.Value) // the interval would be of other pairs than the verdict
	}
	judged.Figure.Trials = len(blocks)
	bound, higher := objective.Bound(o)
	chances, err := stats.RatioChances(first, second, bound, higher)
	return &chances, err
}

// incomparable says why the figures of two combinations mean different things; "" if they don't.
func incomparable(o *plan.Objective, one, other *Combination, of objective.Subject) string {
	if m, known := objective.Find(o.Metric); known && m.OfOperations && (one.saturated(of.Workload) || other.saturated(of.Workload)) {
		return "the store could not take the load of the workload, so its latencies grow with the length of a run: compare its throughput"
	}
	if len(one.timesOf(o, of, other.timesOf(o, of, map[string]bool{}))) > 1 {
		return "not comparable: response times of an open loop, and service times of a closed one"
	}
	return ""
}

// withoutFigures says of which of two how many trials have no figure; "" if all have one.
func withoutFigures(first, second []stats.Range) string {
	return cmp.Or(without(first, ""), without(second, " of the baseline"))
}

// isKnown says that the figure has a ratio to others.
func isKnown(r stats.Range) bool { return r.Low == r.High && r.Low > 0 }

// blocks in which a trial of the combination has ended, in order.
func (c *Combination) blocks() []int { return slices.Sorted(maps.Keys(c.trials)) }

// saturated says that the store could not take the workload's load in some trial.
func (c *Combination) saturated(workload string) bool {
	for _, run := range c.trials {
		if run != nil && slices.Contains(run.Saturated, workload) {
			return true
		}
	}
	return false
}

// timesOf adds the kinds of times that the subject's figures have.
func (c *Combination) timesOf(o *plan.Objective, of objective.Subject, times map[string]bool) map[string]bool {
	for _, run := range c.trials {
		if run == nil {
			continue
		}
		for _, value := range objective.Values(o, &run.figures) {
			if value.Subject == of && value.Time != "" {
				times[value.Time] = true
			}
		}
	}
	return times
}

// rangesOf are the figures of a subject in these blocks. A trial without valid numbers, or without that figure, may have had
// any.
func (c *Combination) rangesOf(o *plan.Objective, of objective.Subject, blocks []int) []stats.Range {
	ranges := make([]stats.Range, len(blocks))
	for i, block := range blocks {
		ranges[i] = anything
		run := c.trials[block]
		if run == nil {
			continue
		}
		values := objective.Values(o, &run.figures)
		at := slices.IndexFunc(values, func(v objective.Value) bool { return v.Subject == of })
		if at >= 0 && values[at].Range.Low >= 0 { // what is below 0 is no figure
			ranges[i] = values[at].Range
		}
	}
	return ranges
}

// anything is a figure of which nothing is known.
var anything = stats.Range{Low: 0, High: math.Inf(1)}

// without says how many trials have no figure; "" if all have one.
func without(values []stats.Range, of string) string {
	count := 0
	for _, value := range values {
		if value == anything {
			count++
		}
	}
	switch count {
	case 0:
		return ""
	case 1:
		return "1 trial" + of + " has no valid figure"
	}
	return fmt.Sprintf("%d trials%s have no valid figure", count, of)
}

// medianOfRanges is the median of figures some of which are known in part.
func medianOfRanges(ranges []stats.Range, confidence float64) (Estimate, error) {
	values := make([]Value, len(ranges))
	for i, r := range ranges {
		values[i] = Value{Value: r.Low, Censored: r.Low != r.High}
	}
	if len(values) == 0 {
		return Estimate{}, nil
	}
	return medianOf(values, confidence)
}
