package stats

import (
	"fmt"
	"math"
)

// Range is a figure as far as it is known: it is between Low and High. Both are the figure where it is known. Low is
// that of an outage which outlasted its measurement, whose High is +Inf. A trial without a figure has a range from 0 to
// +Inf: it speaks neither for a bound nor against it.
type Range struct{ Low, High float64 }

// known are ranges of figures that are known.
func known(figures []float64) []Range {
	ranges := make([]Range, len(figures))
	for i, figure := range figures {
		ranges[i] = Range{figure, figure}
	}
	return ranges
}

// check refuses what is no range of figures.
func (r Range) check() error {
	if !(r.Low >= 0) || !(r.Low <= r.High) || math.IsInf(r.Low, 1) {
		return fmt.Errorf("a figure between %v and %v is none", r.Low, r.High)
	}
	return nil
}

// Chances are how likely trials like these are from a system that is just as bad as a bound: trials that speak as much
// for the bound, and trials that speak as much against it. What isn't known of the trials speaks against each.
type Chances struct{ Good, Bad float64 }

// MedianChances compares the median of what the figures are drawn from with a bound, by the sign test: of trials whose
// median is at the bound, half are on each side. A figure at the bound keeps it. (Hollander, Wolfe and Chicken, 2014,
// section 3.4.) Without any trial both chances are 1.
func MedianChances(figures []Range, bound float64, higherIsBetter bool) (Chances, error) {
	if math.IsNaN(bound) || math.IsInf(bound, 0) || bound < 0 {
		return Chances{}, fmt.Errorf("a bound is a number from 0 on, and this is %v", bound)
	}
	beyond, within := 0, 0 // as many may be so at most
	for _, figure := range figures {
		if err := figure.check(); err != nil {
			return Chances{}, err
		}
		best, worst := figure.Low <= bound, figure.High <= bound
		if higherIsBetter {
			best, worst = figure.High >= bound, figure.Low >= bound
		}
		if !worst {
			beyond++
		}
		if best {
			within++
		}
	}
	tail := coin(len(figures))
	return Chances{Good: upTo(tail, beyond), Bad: upTo(tail, within)}, nil
}

// RatioChances compares the ratio of subject to baseline with a bound. They have a figure each for each block, in the
// same order. The chances are tails of Wilcoxon's signed-rank statistic, which is the number of Walsh averages beyond
// the bound. (Hollander, Wolfe and Chicken, 2014, section 3.1.) Without any block both chances are 1.
func RatioChances(subject, baseline []Range, bound float64, higherIsBetter bool) (Chances, error) {
	if err := checkRatio(bound, subject, baseline); err != nil {
		return Chances{}, err
	}
	if len(subject) != len(baseline) {
		return Chances{}, fmt.Errorf("%d figures can't be paired with %d", len(subject), len(baseline))
	}
	least, most := make([]float64, len(subject)), make([]float64, len(subject))
	for i, of := range subject {
		least[i], most[i] = of.over(baseline[i])
	}
	// In both directions an average at the bound speaks against what is tested. So does that of a ratio of 0 and an
	// infinite one, which is no number. An average is at the bound where only rounding tells them apart.
	at := math.Log(bound)
	above, below := 0, 0
	for _, average := range walshAverages(most) {
		if !(average < at-rounding) {
			above++
		}
	}
	for _, average := range walshAverages(least) {
		if !(average > at+rounding) {
			below++
		}
	}
	tail := signedRank(len(subject))
	if higherIsBetter {
		// The low ends speak for it, and the high ends against it.
		return Chances{Good: upTo(tail, below), Bad: upTo(tail, above)}, nil
	}
	return Chances{Good: upTo(tail, above), Bad: upTo(tail, below)}, nil
}

// UnpairedRatioChances is RatioChances where the trials of the two aren't paired, such as those of a suite and of one of last
// week. The chances are tails of the Mann-Whitney statistic, which is the number of pairs of one of each whose ratio is beyond
// the bound. (Hollander, Wolfe and Chicken, 2014, section 4.1.) Without any pair both chances are 1.
func UnpairedRatioChances(subject, baseline []Range, bound float64, higherIsBetter bool) (Chances, error) {
	if err := checkRatio(bound, subject, baseline); err != nil {
		return Chances{}, err
	}
	at := math.Log(bound)
	above, below := 0, 0 // as many may be so at most
	for _, of := range subject {
		for _, against := range baseline {
			least, most := of.over(against)
			if !(most < at-rounding) {
				above++
			}
			if !(least > at+rounding) {
				below++
			}
		}
	}
	tail := mannWhitney(len(subject), len(baseline))
	if higherIsBetter {
		return Chances{Good: upTo(tail, below), Bad: upTo(tail, above)}, nil
	}
	return Chances{Good: upTo(tail, above), Bad: upTo(tail, below)}, nil
}

// checkRatio refuses what is no bound of a ratio, and what is no range of figures.
func checkRatio(bound float64, subject, baseline []Range) error {
	if !(bound > 0) || math.IsInf(bound, 0) {
		return fmt.Errorf("a bound is a ratio above 0, and this is %v", bound)
	}
	for _, figures := range [][]Range{subject, baseline} {
		for _, figure := range figures {
			if err := figure.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// over are the bounds of the logarithm of the ratio of two figures. Where both may be 0 it may be anything.
func (r Range) over(baseline Range) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	if r.Low > 0 && !math.IsInf(baseline.High, 1) {
		least = math.Log(r.Low) - math.Log(baseline.High)
	}
	if baseline.Low > 0 && !math.IsInf(r.High, 1) {
		most = math.Log(r.High) - math.Log(baseline.Low)
	}
	return least, most
}

// upTo is the probability of at most so much.
func upTo(p []float64, most int) float64 {
	sum := 0.0
	for _, probability := range p[:most+1] {
		sum += probability
	}
	return sum
}
