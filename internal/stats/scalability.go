package stats

import (
	"fmt"
	"math"
	"slices"
)

// Scalability is Gunther's Universal Scalability Law, which says how a throughput grows with the number of members, or
// of clients: X(N) = λN / (1 + σ(N-1) + κN(N-1)). (Gunther, Guerrilla Capacity
// Planning, 2007, chapter 4; arXiv:0808.1431.)
type Scalability struct {
	Lambda float64 // operations/s of one
	Sigma  float64 // contention: the share of the work that one does while all others wait; at least 0
	Kappa  float64 // coherence: what each pair costs; at least 0
}

// At is the throughput of n.
func (s Scalability) At(n float64) float64 {
	return s.Lambda * n / (1 + s.Sigma*(n-1) + s.Kappa*n*(n-1))
}

// Peak is the number with the highest throughput: +Inf where it grows for ever, and 1 where it falls from the first on.
func (s Scalability) Peak() float64 {
	switch {
	case s.Sigma >= 1:
		return 1
	case s.Kappa == 0:
		return math.Inf(1)
	}
	return max(1, math.Sqrt((1-s.Sigma)/s.Kappa))
}

// Size is what the trials of one number of members, or of clients, reached in operations/s.
type Size struct {
	N      float64
	Trials []float64
}

// Growth is the law that fits trials of several sizes.
type Growth struct {
	Scalability
	// LambdaWithin, SigmaWithin and KappaWithin are intervals of its parameters; nil where a size has too few trials to
	// draw from.
	LambdaWithin, SigmaWithin, KappaWithin *Interval
	// Residuals are by how much the median of each size is above the law's, as a part of the law's.
	Residuals []float64
}

const (
	// LeastSizes is of how many sizes a law with three parameters can be told from a line through points.
	LeastSizes = 5
	// resamples is how often trials are drawn for the intervals of a law.
	resamples = 2000
)

// FitGrowth fits the law to the medians of five sizes or more, so that the relative errors are smallest. The intervals
// are the percentiles of laws that fit trials drawn anew from those of each size (Efron and Tibshirani, An Introduction
// to the Bootstrap, 1993, section 13.3). They need six trials of each size for 0.95, and are somewhat too
// narrow where there are few more. below draws a number from 0
// up to below its argument. It is the caller's, so that a report can be made again.
func FitGrowth(sizes []Size, confidence float64, below func(int) int) (Growth, error) {
	if err := checkConfidence(confidence); err != nil {
		return Growth{}, err
	}
	if err := checkSizes(sizes); err != nil {
		return Growth{}, err
	}
	medians := make([]float64, len(sizes))
	for i, size := range sizes {
		medians[i] = middle(sortedCopy(size.Trials))
	}
	growth := Growth{Scalability: fit(sizes, medians)}
	for i, size := range sizes {
		growth.Residuals = append(growth.Residuals, medians[i]/growth.At(size.N)-1)
	}
	least := LeastTrials(confidence)
	if slices.ContainsFunc(sizes, func(s Size) bool { return len(s.Trials) < least }) {
		return growth, nil
	}
	var lambdas, sigmas, kappas []float64
	for range resamples {
		for i, size := range sizes {
			drawn := make([]float64, len(size.Trials))
			for j := range drawn {
				drawn[j] = size.Trials[below(len(size.Trials))]
			}
			slices.Sort(drawn)
			medians[i] = middle(drawn)
		}
		law := fit(sizes, medians)
		lambdas, sigmas, kappas = append(lambdas, law.Lambda), append(sigmas, law.Sigma), append(kappas, law.Kappa)
	}
	growth.LambdaWithin = percentiles(lambdas, confidence)
	growth.SigmaWithin = percentiles(sigmas, confidence)
	growth.KappaWithin = percentiles(kappas, confidence)
	return growth, nil
}

func checkSizes(sizes []Size) error {
	different := map[float64]bool{}
	for _, size := range sizes {
		if !(size.N >= 1) || math.IsInf(size.N, 0) || len(size.Trials) == 0 {
			return fmt.Errorf("a size is at least 1 and has trials, and this is %v with %d", size.N, len(size.Trials))
		}
		if _, err := logarithms(size.Trials); err != nil {
			return fmt.Errorf("size %v: %w", size.N, err)
		}
		different[size.N] = true
	}
	if len(different) < LeastSizes || len(different) < len(sizes) {
		return fmt.Errorf("a law of growth needs %d different sizes, and these are %d of %d", LeastSizes, len(different), len(sizes))
	}
	return nil
}

// percentiles is the interval that has the confidence's share of the values in its middle.
func percentiles(values []float64, confidence float64) *Interval {
	slices.Sort(values)
	beyond := int((1 - confidence) / 2 * float64(len(values)))
	return &Interval{Low: values[beyond], High: values[len(values)-1-beyond], Confidence: confidence}
}

// fit makes N/X = a + b(N-1) + cN(N-1) of the law, which is linear, and takes the a above 0 and the b and c of at least
// 0 with the smallest sum of squares of relative errors. Where b or c would be below 0, the best ones have one of them 0,
// or both.
func fit(sizes []Size, throughputs []float64) Scalability {
	rows := make([][3]float64, len(sizes))
	for i, size := range sizes {
		weight := throughputs[i] / size.N
		rows[i] = [3]float64{weight, weight * (size.N - 1), weight * size.N * (size.N - 1)}
	}
	best, least := [3]float64{}, math.Inf(1)
	for _, columns := range [][]int{{0}, {0, 1}, {0, 2}, {0, 1, 2}} {
		solved := leastSquares(rows, columns)
		if !(solved[0] > 0) || solved[1] < 0 || solved[2] < 0 {
			continue
		}
		sum := 0.0
		for _, row := range rows {
			off := row[0]*solved[0] + row[1]*solved[1] + row[2]*solved[2] - 1
			sum += off * off
		}
		if sum < least {
			best, least = solved, sum
		}
	}
	return Scalability{Lambda: 1 / best[0], Sigma: best[1] / best[0], Kappa: best[2] / best[0]}
}

// leastSquares solves rows·x = 1 for these columns, by the normal equations. The other elements are 0.
func leastSquares(rows [][3]float64, columns []int) (solved [3]float64) {
	n := len(columns)
	system := make([][]float64, n)
	for i, a := range columns {
		system[i] = make([]float64, n+1)
		for _, row := range rows {
			for j, b := range columns {
				system[i][j] += row[a] * row[b]
			}
			system[i][n] += row[a]
		}
	}
	for pivot := range n {
		for i := range n {
			if i == pivot {
				continue
			}
			factor := system[i][pivot] / system[pivot][pivot]
			for j := pivot; j <= n; j++ {
				system[i][j] -= factor * system[pivot][j]
			}
		}
	}
	for i, column := range columns {
		solved[column] = system[i][n] / system[i][i]
	}
	return solved
}
