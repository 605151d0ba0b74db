package stats

import (
	"fmt"
	"math"
)

// Median estimates the median of what the values are drawn from, by their order alone. A value that is +Inf was not
// seen to its end, like an outage that outlasted its measurement, and is above all that were. The interval is exact
// for every continuous distribution, and conservative for small samples. Six values are the least for a confidence of
// 0.95. (Hollander, Wolfe and Chicken, 2014, section 3.6.)
func Median(values []float64, confidence float64) (Estimate, error) {
	if err := checkConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if len(values) == 0 {
		return Estimate{}, ErrNoTrials
	}
	for i, value := range values {
		if math.IsNaN(value) || math.IsInf(value, -1) {
			return Estimate{}, fmt.Errorf("value %d of %d is %v", i+1, len(values), value)
		}
	}
	sorted := sortedCopy(values)
	return Estimate{Value: middle(sorted), Interval: rankInterval(sorted, coin(len(values)), confidence), Trials: len(values)}, nil
}
