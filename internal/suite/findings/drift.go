package findings

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stats"
)

// drifting are the metrics in which a change of the machine shows: the throughput of a closed loop, and the response times of
// an open one.
var drifting = []struct{ metric, text string }{{figures.Throughput, "throughput"}, {figures.P50, "the p50"}}

const (
	// driftConfidence of each of them, so that one of both is found by chance in some 5 % of the suites. With fewer valid trials
	// of a combination than this it would be more: their values are relative to their own middle, and so not independent.
	driftConfidence = 0.975
	fewestTrials    = 8
	// longestSequence bounds the time that it takes. Longer ones are made of the middles of neighbours.
	longestSequence = 200
)

// drift warns of changes in the course of the suite that all combinations have in common.
func (r *Report) drift() (warnings []string, err error) {
	if !r.Complete || slices.ContainsFunc(r.Combinations, func(c Combination) bool { return c.Valid < fewestTrials && !c.Absent }) {
		return nil, nil
	}
	for _, d := range drifting {
		sequence, step := r.sequence(d.metric)
		random := rand.NewPCG(r.Seed, uint64(len(sequence)))
		// The library's own way to draw below a number may be another one in its next version.
		below := func(n int) int { return int(random.Uint64() % uint64(n)) }
		changes, err := stats.Changes(sequence, driftConfidence, below)
		if err != nil {
			return nil, fmt.Errorf("looking for changes of the machine: %w", err)
		}
		if len(changes) == 0 {
			continue
		}
		largest := slices.MaxFunc(changes, func(a, b stats.Change) int {
			return cmp.Compare(math.Abs(a.After-a.Before), math.Abs(b.After-b.Before))
		})
		text := fmt.Sprintf("from valid trial %d on, %s was %.3g times what it was before, in all combinations together", largest.At*step+1, d.text, math.Exp(largest.After-largest.Before))
		if more := len(changes) - 1; more > 0 {
			text += fmt.Sprintf(", the largest of %d such changes", more+1)
		}
		warnings = append(warnings, text+": the machine or its neighbors may have changed. Ratios are of trials of one block, and feel less of it than the figures themselves")
	}
	return warnings, nil
}

// sequence has a value for each valid trial, in their order, or for each step of them: the logarithm of how many times the metric
// is what it is in the middle trial of its combination; the mean, where a run has several.
func (r *Report) sequence(metric string) (values []float64, step int) {
	type key struct{ block, combination int }
	sum, count := map[key]float64{}, map[key]float64{}
	for i := range r.Combinations {
		for j := range r.Combinations[i].Metrics {
			m := &r.Combinations[i].Metrics[j]
			logarithms, ok := logarithmsOf(m.Values)
			if m.Metric != metric || !ok {
				continue
			}
			middle := stats.Middle(logarithms)
			for n, v := range m.Values {
				at := key{v.Block, i}
				sum[at] += logarithms[n] - middle
				count[at]++
			}
		}
	}
	for _, trial := range r.Trials {
		if at := (key{trial.Block, trial.Combination}); count[at] > 0 {
			values = append(values, sum[at]/count[at])
		}
	}
	step = (len(values) + longestSequence - 1) / longestSequence
	if step <= 1 {
		return values, 1
	}
	var thinned []float64
	for ; len(values) >= step; values = values[step:] {
		thinned = append(thinned, stats.Middle(values[:step]))
	}
	return thinned, step
}

// logarithmsOf says whether all values have one.
func logarithmsOf(values []Value) (logarithms []float64, ok bool) {
	for _, v := range values {
		if v.Censored || v.Value <= 0 {
			return nil, false
		}
		logarithms = append(logarithms, math.Log(v.Value))
	}
	return logarithms, len(logarithms) > 0
}
