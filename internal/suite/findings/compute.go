package findings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Compute makes the report. baselines are those that objectives name. runs gives what a run found, by its UID, in
// the workloads whose names have a prefix; nil if its report isn't kept any more.
func Compute(m *manifest.Manifest, baselines map[string]*Baseline, runs func(uid, prefix string) (*Run, error)) (*Report, error) {
	r := &Report{
		Format: Format, Suite: m.Suite, Seed: m.Seed, Reuse: m.Reuse, Complete: m.Complete, Axes: m.Axes, Blocks: m.Blocks, Trials: append([]manifest.Trial{}, m.Trials...),
		Confidence:   cmp.Or(m.Confidence, manifest.Confidence),
		Combinations: make([]Combination, len(m.Combinations)), Comparisons: []Comparison{}, Warnings: []string{},
	}
	for i, labels := range m.Combinations {
		r.Combinations[i] = Combination{Labels: labels, Metrics: []Metric{}, trials: map[int]*Run{}, Absent: m.Search.Absent(i)}
	}
	around := newCircumstances()
	for _, trial := range m.Trials {
		c := &r.Combinations[trial.Combination]
		if len(trial.Attempts) == 0 {
			c.Left++
			continue
		}
		c.trials[trial.Block] = nil
		last := trial.Attempts[len(trial.Attempts)-1]
		if last.Outcome != manifest.Valid {
			c.Unusable++
			continue
		}
		found, err := runs(last.UID, last.Prefix)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", last.Run, err)
		}
		if found == nil {
			c.Unusable++
			r.Warnings = append(r.Warnings, fmt.Sprintf("the report of run %s is no longer kept, or can't be used: its trial is missing here", last.Run))
			continue
		}
		c.Valid++
		c.take(trial.Block, found)
		around.note(c.Labels, found)
	}
	r.Adoption = adoptionOf(m)
	r.Warnings = append(r.Warnings, r.Adoption.warnings()...)
	r.Warnings = append(r.Warnings, around.warnings()...)
	unlike := newLikeness(m.Compare.Despite)
	for i := range r.Combinations {
		if text := unlike.unlike(&r.Combinations[i]); text != "" {
			r.Warnings = append(r.Warnings, r.Combinations[i].Name()+": its trials are not alike: "+text)
		}
	}
	for i := range r.Combinations {
		if err := r.Combinations[i].estimate(r.Confidence); err != nil {
			return nil, err
		}
	}
	drift, err := r.drift()
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, drift...)
	if err := r.compare(&m.Compare, unlike); err != nil {
		return nil, err
	}
	r.grow(m.Compare.Growth, unlike)
	r.Width = r.width(m)
	r.Search = r.searched(m.Search)
	r.Warnings = append(r.Warnings, r.Search.warnings()...)
	for _, name := range slices.Sorted(maps.Keys(baselines)) {
		r.Baselines = append(r.Baselines, Against{name, baselines[name].Suite})
	}
	if err := r.judge(m.Objectives, baselines, unlike); err != nil {
		return nil, err
	}
	return r, nil
}

// take adds a trial's figures.
func (c *Combination) take(block int, found *Run) {
	c.trials[block] = found
	for _, f := range found.figures.Figures {
		at := slices.IndexFunc(c.Metrics, func(m Metric) bool { return m.Name == f.Name })
		if at < 0 {
			at = len(c.Metrics)
			c.Metrics = append(c.Metrics, Metric{Name: f.Name, Unit: f.Unit})
		}
		c.Metrics[at].Values = append(c.Metrics[at].Values, Value{Block: block, Value: f.Value, Censored: f.Censored})
	}
}

// estimate finds the median of each metric.
func (c *Combination) estimate(confidence float64) error {
	for i := range c.Metrics {
		metric := &c.Metrics[i]
		slices.SortFunc(metric.Values, func(a, b Value) int { return a.Block - b.Block })
		median, err := medianOf(metric.Values, confidence)
		if err != nil {
			return fmt.Errorf("the median of %s: %w", metric.Name, err)
		}
		metric.Median = median
	}
	return nil
}

// medianOf is the median of values some of which may be lower bounds. Those are anywhere between the bound and infinity. So the
// interval's low end is that of the bounds, and its high end is that where they are infinite.
func medianOf(values []Value, confidence float64) (Estimate, error) {
	least, most := make([]float64, len(values)), make([]float64, len(values))
	for i, v := range values {
		if least[i], most[i] = v.Value, v.Value; v.Censored {
			most[i] = math.Inf(1)
		}
	}
	low, err := stats.Median(least, confidence)
	if err != nil {
		return Estimate{}, err
	}
	high, err := stats.Median(most, confidence)
	if err != nil {
		return Estimate{}, err
	}
	e := estimateOf(high)
	if low.Value != high.Value {
		e.Value, e.AtLeast = nil, &low.Value
	}
	if low.Interval != nil {
		e.Low = finite(low.Interval.Low)
	}
	return e, nil
}

func estimateOf(from stats.Estimate) Estimate {
	e := Estimate{Value: finite(from.Value), Trials: from.Trials}
	if from.Interval != nil {
		e.Low, e.High, e.Confidence = finite(from.Interval.Low), finite(from.Interval.High), from.Interval.Confidence
	}
	return e
}

// finite is nil for what JSON has no number for.
func finite(value float64) *float64 {
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return nil
	}
	return &value
}

// pair is a combination and the one that it is compared with: they differ on one axis.
type pair struct {
	axis       int
	one, other *Combination
}

// pairs are each value of an axis with the axis' first one, in all combinations of the others.
func (r *Report) pairs(what *manifest.Compare) (all []pair) {
	for axis := range r.Axes {
		if what.By != "" && what.By != r.Axes[axis].Name {
			continue
		}
		for i := range r.Combinations {
			one := &r.Combinations[i]
			if one.Labels[axis].Value == r.Axes[axis].Values[0] {
				continue
			}
			if other := r.counterpart(one, axis); other != nil { // else it is excluded
				all = append(all, pair{axis, one, other})
			}
		}
	}
	return all
}

// compare compares the figures of all pairs.
func (r *Report) compare(what *manifest.Compare, unlike *likeness) error {
	for _, p := range r.pairs(what) {
		differences := unlike.between(p.one, p.other, r.fieldsBetween(p.one, p.other))
		for j := range p.one.Metrics {
			if len(what.Metrics) > 0 && !slices.Contains(what.Metrics, p.one.Metrics[j].Metric) {
				continue
			}
			compared, err := r.ratio(p.axis, p.one, p.other, &p.one.Metrics[j], differences)
			if err != nil {
				return err
			}
			r.Comparisons = append(r.Comparisons, compared)
		}
	}
	return nil
}

// counterpart is the combination that has the axis' first value, and is alike in all else.
func (r *Report) counterpart(one *Combination, axis int) *Combination {
	wanted := slices.Clone(one.Labels)
	wanted[axis].Value = r.Axes[axis].Values[0]
	at := slices.IndexFunc(r.Combinations, func(c Combination) bool { return slices.Equal(c.Labels, wanted) })
	if at < 0 {
		return nil
	}
	return &r.Combinations[at]
}

func (r *Report) ratio(axis int, one, other *Combination, metric *Metric, differences []fingerprint.Difference) (Comparison, error) {
	c := Comparison{
		Axis: r.Axes[axis].Name, Value: one.Labels[axis].Value, Against: other.Labels[axis].Value,
		With: slices.Delete(slices.Clone(one.Labels), axis, axis+1), Name: metric.Name, one: one,
	}
	if len(differences) > 0 {
		c.Differences, c.Why = differences, notComparable(differences)
		return c, nil
	}
	at := slices.IndexFunc(other.Metrics, func(m Metric) bool { return m.Name == metric.Name })
	if at < 0 {
		c.Why = fmt.Sprintf("%s has no such figure", other.Labels[axis])
		return c, nil
	}
	first, second, why := blocksOfBoth(metric.Values, other.Metrics[at].Values)
	if why != "" {
		c.Why = why
		return c, nil
	}
	ratio, err := stats.PairedRatio(first, second, r.Confidence)
	switch {
	case errors.Is(err, stats.ErrNoTrials):
		c.Why = "there is no block in which both are valid"
		return c, nil
	case err != nil:
		return c, fmt.Errorf("comparing %s: %w", metric.Name, err)
	}
	c.Ratio = estimateOf(ratio)
	return c, nil
}

// blocksOfBoth are the values of the blocks that both have, or why they have no ratio.
func blocksOfBoth(one, other []Value) (first, second []float64, why string) {
	if allZero(one) && allZero(other) {
		return nil, nil, "both are 0"
	}
	for _, a := range one {
		at := slices.IndexFunc(other, func(b Value) bool { return b.Block == a.Block })
		if at < 0 {
			continue
		}
		b := other[at]
		switch {
		case a.Censored || b.Censored:
			return nil, nil, "a figure is a lower bound, which has no ratio to others"
		case a.Value <= 0 || b.Value <= 0:
			return nil, nil, "a figure is 0, which has no ratio to others"
		}
		first, second = append(first, a.Value), append(second, b.Value)
	}
	return first, second, ""
}

func allZero(values []Value) bool {
	return !slices.ContainsFunc(values, func(v Value) bool { return v.Value != 0 || v.Censored })
}
