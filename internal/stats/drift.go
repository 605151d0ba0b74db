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
// came, or a version was replaced. It is E-divisive with α = 1: the split with the largest energy statistic between its
// sides is a change, if few permutations of the trials have one as large; then the same within each side. (Matteson and
// James, Journal of the American Statistical Association 109, 2014, sections 2.2 and 3.) below draws a number from 0 up
// to below its argument. It is the caller's, so that a report can be made again.
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
	// The segments between changes that were not looked at yet.
	for open := [][2]int{{0, len(values)}}; len(open) > 0; open = open[1:] {
		begin, end := open[0][0], open[0][1]
		at, statistic := split(values[begin:end])
		if at == 0 {
			continue
		}
		chance := chanceOf(values[begin:end], statistic, below)
		if chance > 1-confidence {
			continue
		}
		changes = append(changes, Change{At: begin + at, Chance: chance})
		open = append(open, [2]int{begin, begin + at}, [2]int{begin + at, end})
	}
	slices.SortFunc(changes, func(a, b Change) int { return a.At - b.At })
	for i := range changes {
		begin, end := 0, len(values)
		if i > 0 {
			begin = changes[i-1].At
		}
		if i < len(changes)-1 {
			end = changes[i+1].At
		}
		changes[i].Before = middle(sortedCopy(values[begin:changes[i].At]))
		changes[i].After = middle(sortedCopy(values[changes[i].At:end]))
	}
	return changes, nil
}

// chanceOf is the share of orders of the values whose best split has such a statistic, with the one that there is.
func chanceOf(values []float64, statistic float64, below func(int) int) float64 {
	shuffled, as := slices.Clone(values), 1
	for range permutations {
		for i := len(shuffled) - 1; i > 0; i-- {
			j := below(i + 1)
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		}
		if _, got := split(shuffled); got >= statistic {
			as++
		}
	}
	return float64(as) / (permutations + 1)
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
