package stats

import (
	"fmt"
	"math"
)

// LeastTrials is the smallest number of pairs of which an interval of this confidence exists: 6 for 0.95, since 2/2^6 is below
// 0.05.
func LeastTrials(confidence float64) int { return leastTrials(1 - confidence) }

func leastTrials(share float64) int { return int(math.Ceil(1 - math.Log2(share))) }

// Looks are the numbers of trials at which a suite that may end early looks at its figures: each is half as large again
// as the one before. The intervals at each look have the confidence each, so that all looks together have the one that is
// asked for: each has Bonferroni's share of the error. Who looked after each trial, and ended when an interval happened
// to be narrow, would be wrong more often than the interval says. The first look must have enough pairs for an interval.
func Looks(least, most int, confidence float64) (looks []int, each float64, err error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, 0, err
	}
	if least < 1 || most < least {
		return nil, 0, fmt.Errorf("looks are planned from one trial on, up to no fewer: not from %d to %d", least, most)
	}
	looks = []int{least}
	for last := least; last < most; {
		last = min(most, last+(last+1)/2)
		looks = append(looks, last)
	}
	share := (1 - confidence) / float64(len(looks))
	if needed := leastTrials(share); least < needed {
		return nil, 0, fmt.Errorf("with %d looks the first one needs %d trials to tell anything, and has %d", len(looks), needed, least)
	}
	return looks, 1 - share, nil
}
