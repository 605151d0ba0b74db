package stats

import (
	"fmt"
	"math"
	"slices"
)

// PairedShift estimates by how much the first of each pair is above the second, from the pairs' differences. The
// estimate is the median of all Walsh averages, the means of two differences or of one with itself. The interval is
// that of Tukey, from the exact distribution of Wilcoxon's signed-rank statistic. It assumes that a difference is as
// often so much above the true shift as below. Six pairs are the least for a confidence of 0.95. (Hollander, Wolfe and
// Chicken, Nonparametric Statistical Methods, 3rd edition, 2014, sections 3.2 and 3.3.)
func PairedShift(differences []float64, confidence float64) (Estimate, error) {
	if err := checkConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if err := checkFinite(differences); err != nil {
		return Estimate{}, err
	}
	n := len(differences)
	if n == 0 {
		return Estimate{}, ErrNoTrials
	}
	averages := walshAverages(differences)
	slices.Sort(averages)
	return Estimate{Value: middle(averages), Interval: rankInterval(averages, signedRank(n), confidence), Trials: n}, nil
}

// walshAverages are the means of all pairs of the values, each value with itself included.
func walshAverages(values []float64) []float64 {
	averages := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, a := range values {
		for _, b := range values[i:] {
			averages = append(averages, a/2+b/2)
		}
	}
	return averages
}

// Shift estimates by how much values of the first system are above those of the second, where trials aren't paired.
// The estimate is the median of all differences between one of each. The interval is that of Moses, from the exact
// distribution of the Mann-Whitney statistic. It assumes that the two distributions differ by a shift alone.
// (Hollander, Wolfe and Chicken, 2014, sections 4.2 and 4.3.)
func Shift(first, second []float64, confidence float64) (Estimate, error) {
	if err := checkConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	for _, values := range [][]float64{first, second} {
		if err := checkFinite(values); err != nil {
			return Estimate{}, err
		}
	}
	if len(first) == 0 || len(second) == 0 {
		return Estimate{}, ErrNoTrials
	}
	differences := make([]float64, 0, len(first)*len(second))
	for _, a := range first {
		for _, b := range second {
			differences = append(differences, a-b)
		}
	}
	slices.Sort(differences)
	interval := rankInterval(differences, mannWhitney(len(first), len(second)), confidence)
	return Estimate{Value: middle(differences), Interval: interval, Trials: min(len(first), len(second))}, nil
}

// PairedRatio estimates how many times the second of each pair the first is: PairedShift of their logarithms.
// Figures of systems differ by factors, so their logarithms are what is symmetric. All figures must be above zero.
func PairedRatio(first, second []float64, confidence float64) (Estimate, error) {
	if len(first) != len(second) {
		return Estimate{}, fmt.Errorf("%d figures can't be paired with %d", len(first), len(second))
	}
	differences, err := logRatios(first, second)
	if err != nil {
		return Estimate{}, err
	}
	estimate, err := PairedShift(differences, confidence)
	return estimate.exp(), err
}

// Ratio is PairedRatio where trials aren't paired.
func Ratio(first, second []float64, confidence float64) (Estimate, error) {
	a, err := logarithms(first)
	if err != nil {
		return Estimate{}, err
	}
	b, err := logarithms(second)
	if err != nil {
		return Estimate{}, err
	}
	estimate, err := Shift(a, b, confidence)
	return estimate.exp(), err
}

// exp turns a shift of logarithms into a ratio.
func (e Estimate) exp() Estimate {
	e.Value = math.Exp(e.Value)
	if e.Interval != nil {
		e.Interval = &Interval{Low: math.Exp(e.Interval.Low), High: math.Exp(e.Interval.High), Confidence: e.Interval.Confidence}
	}
	return e
}

// logRatios are the logarithms of the ratios of pairs.
func logRatios(first, second []float64) ([]float64, error) {
	a, err := logarithms(first)
	if err != nil {
		return nil, err
	}
	b, err := logarithms(second)
	if err != nil {
		return nil, err
	}
	for i := range a {
		a[i] -= b[i]
	}
	return a, nil
}

func logarithms(values []float64) ([]float64, error) {
	logs := make([]float64, len(values))
	for i, value := range values {
		if !(value > 0) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("figure %d of %d is %v, which has no ratio to others", i+1, len(values), value)
		}
		logs[i] = math.Log(value)
	}
	return logs, nil
}
