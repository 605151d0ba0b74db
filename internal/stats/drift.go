package stats

import (
	"fmt"
	"math"
	"slices"
)

// Change is a place in a sequence of trials from which on the figures are others.
type Change struct {
	At int // the index of the first trial after it
	// Before and After are the medians of the trials between this change and the next one on each side.
	Before, After float64
	// Chance is how likely so large a change is in trials whose order says nothing.
	Chance float64
}

const (
	// leastSegment is how many trials there are between two changes at least.
	leastSegment = 4
	// permutations is how often the order of trials is drawn anew. The least chance that they can show is 1/200.
	permutations = 199
)

// Changes finds where a sequence of trials, in the order of their time, changes: the machine warmed up, a neighbour
// came, or a version was replaced. It is E-divisive with α = 1. Of all segments, the split with the largest energy
// statistic between its sides is a change, if few permutations of the trials within their segments have one as large. Then
// the same is done with one segment more, until a split is none. (Matteson and James, Journal of the American Statistical
// Association 109, 2014, sections 2.2 and 3.) below draws a number from 0 up to below its argument. It is the caller's, so
// that a report can be made again.
func Changes(values []float64, confidence float64, below func(int) int) ([]Change, error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, err
	}
	if least := 1.0 / (permutations + 1); 1-confidence < least {
		return nil, fmt.Errorf("%d permutations show no confidence above %v, and %v is asked for", permutations, 1-least, confidence)
	}
	if err := checkFinite(values); err != nil {
		return nil, err
	}
	var changes []Change
	bounds := []int{0, len(values)} // of the segments
	for {
		at, statistic := bestSplit(values, bounds)
		if at == 0 {
			break
		}
		chance := chanceOf(values, bounds, statistic, below)
		if chance > 1-confidence {
			break
		}
		changes = append(changes, Change{At: at, Chance: chance})
		bounds = append(bounds, at)
		slices.Sort(bounds)
	}
	for i := range changes {
		here := slices.Index(bounds, changes[i].At)
		changes[i].Before = middle(sortedCopy(values[bounds[here-1]:bounds[here]]))
		changes[i].After = middle(sortedCopy(values[bounds[here]:bounds[here+1]]))
	}
	slices.SortFunc(changes, func(a, b Change) int { return a.At - b.At })
	return changes, nil
}

// chanceOf is the share of orders of the values within their segments whose best split has such a statistic, with the
// one that there is.
func chanceOf(values []float64, bounds []int, statistic float64, below func(int) int) float64 {
	shuffled, as := slices.Clone(values), 1
	for range permutations {
		for s := range len(bounds) - 1 {
			segment := shuffled[bounds[s]:bounds[s+1]]
			for i := len(segment) - 1; i > 0; i-- {
				j := below(i + 1)
				segment[i], segment[j] = segment[j], segment[i]
			}
		}
		if _, got := bestSplit(shuffled, bounds); got >= statistic {
			as++
		}
	}
	return float64(as) / (permutations + 1)
}

// bestSplit is the best split of any segment; 0 where all are too short.
func bestSplit(values []float64, bounds []int) (at int, statistic float64) {
	statistic = math.Inf(-1)
	for s := range len(bounds) - 1 {
		if here, q := split(values[bounds[s]:bounds[s+1]]); here > 0 && q > statistic {
			at, statistic = bounds[s]+here, q
		}
	}
	return at, statistic
}

// split finds the best place to split the values in two, and the statistic of it; 0 where they are too few. The second
// side may end before the values do, so that a change which is taken back isn't hidden.
func split(values []float64) (at int, statistic float64) {
	n := len(values)
	sums := distances(values)
	between := func(a, b, c, d int) float64 { return sums[b][d] - sums[a][d] - sums[b][c] + sums[a][c] }
	statistic = math.Inf(-1)
	for first := leastSegment; first <= n-leastSegment; first++ {
		for end := first + leastSegment; end <= n; end++ {
			m, k := float64(first), float64(end-first)
			energy := 2/(m*k)*between(0, first, first, end) -
				between(0, first, 0, first)/(m*(m-1)) - between(first, end, first, end)/(k*(k-1))
			if q := m * k / (m + k) * energy; q > statistic {
				at, statistic = first, q
			}
		}
	}
	return at, statistic
}

// distances has the sums of the distances between each of the first i values and each of the first j.
func distances(values []float64) [][]float64 {
	sums := make([][]float64, len(values)+1)
	sums[0] = make([]float64, len(values)+1)
	for i, a := range values {
		sums[i+1] = make([]float64, len(values)+1)
		row := 0.0
		for j, b := range values {
			row += math.Abs(a - b)
			sums[i+1][j+1] = sums[i][j+1] + row
		}
	}
	return sums
}
