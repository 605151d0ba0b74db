package stats

import "fmt"

// leastForInterval is the smallest number of pairs of which an interval of 0.95 exists: 2/2^6 is below 0.05.
const leastForInterval = 6

// Looks are the numbers of trials at which a suite that may end early looks at its figures: each is half as large again
// as the one before. Who looked after each trial, and ended when an interval happened to be narrow, would be wrong more
// often than the interval says.
func Looks(least, most int) ([]int, error) {
	if least < leastForInterval || most < least {
		return nil, fmt.Errorf("looks are planned from %d trials on, up to no fewer: not from %d to %d", leastForInterval, least, most)
	}
	looks := []int{least}
	for last := least; last < most; {
		last = min(most, last+(last+1)/2)
		looks = append(looks, last)
	}
	return looks, nil
}

// LookConfidence is the confidence of the intervals at each of so many looks, with which all of them together have the
// confidence: Bonferroni's share for each.
func LookConfidence(confidence float64, looks int) float64 {
	return 1 - (1-confidence)/float64(looks)
}
