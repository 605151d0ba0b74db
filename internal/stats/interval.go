package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Interval is a two-sided confidence interval, with both of its ends. High is +Inf where the sample doesn't bound it.
type Interval struct {
	Low, High float64
	// Confidence is the probability with which such an interval has the true value. Of intervals by ranks it is exact,
	// and mostly more than what was asked for, since they have steps. Of a bootstrap it is what was asked for.
	Confidence float64
}

// Estimate is what a sample says of one value.
type Estimate struct {
	Value float64
	// Interval is nil where the sample is too small for any interval of the confidence that was asked for.
	Interval *Interval
	// Trials is the number of trials, or of pairs of them.
	Trials int
}

// ErrNoTrials says that there is nothing to estimate from.
var ErrNoTrials = errors.New("there are no trials")

// checkConfidence refuses what no interval can have.
func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("a confidence is between 0 and 1, and this is %v", confidence)
	}
	return nil
}

// checkFinite refuses values that have no distance to each other.
func checkFinite(values []float64) error {
	for i, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("value %d of %d is %v, which has no distance to others", i+1, len(values), value)
		}
	}
	return nil
}

// rounding is by how much sums of probabilities may be off, as a part of them, and the logarithm of a ratio.
const rounding = 1e-9

// rankInterval is the interval between the k-th smallest of the sorted values and the k-th largest, for the largest k
// whose interval has the confidence. The tail has the probabilities of a statistic that is symmetric about its middle:
// tail[j] is that of j. The interval of k misses the true value where the statistic is below k, or as far from its
// other end. It is nil where there is none.
func rankInterval(sorted, tail []float64, confidence float64) *Interval {
	beyond, k := 0.0, 0
	for missed := 0.0; 2*k < len(sorted); k++ {
		if missed += tail[k]; 2*missed > (1-confidence)*(1+rounding) {
			break
		}
		beyond = missed
	}
	if k == 0 {
		return nil
	}
	return &Interval{Low: sorted[k-1], High: sorted[len(sorted)-k], Confidence: 1 - 2*beyond}
}

// Middle is the median of values, of which there is at least one. It says nothing of what they are drawn from.
func Middle(values []float64) float64 { return middle(sortedCopy(values)) }

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return sorted[half-1]/2 + sorted[half]/2
}

func sortedCopy(values []float64) []float64 {
	return slices.Sorted(slices.Values(values))
}
