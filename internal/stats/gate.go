package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Verdict says whether a bound is kept.
type Verdict string

// Unknown is the verdict where the trials prove neither.
const (
	Passed  Verdict = "Passed"
	Failed  Verdict = "Failed"
	Unknown Verdict = "Unknown"
)

// Metric is one figure of two systems, measured side by side.
type Metric struct {
	Name string
	// Subject and Baseline have a figure for each block, in the same order. All are above zero.
	Subject, Baseline []float64
	// HigherIsBetter says that of throughput. Of a latency, a lower figure is better.
	HigherIsBetter bool
	// Bound is the worst ratio of subject to baseline that is allowed: 0.95 for a throughput that may be 5 % lower, 1.05
	// for a latency that may be 5 % higher.
	Bound float64
}

// Judgement is what trials say of one metric of a gate.
type Judgement struct {
	Metric  string
	Ratio   Estimate // of subject to baseline
	Verdict Verdict
}

// Judge compares each metric with its bound, and says whether a gate of all of them may open.
//
// A metric has passed where its whole interval keeps the bound: one that is as bad as the bound passes with half of
// 1 - confidence at most. So does a gate, which opens only if all metrics pass, and needs no correction for their
// number (Berger, Technometrics 24, 1982, theorem 1). A metric has failed where its whole interval is beyond the bound.
// A gate fails by any one of them, so the more metrics it has, the more often chance fails it. Holm's procedure
// corrects that (Scandinavian Journal of Statistics 6, 1979, section 2): a metric whose interval is beyond the bound by
// a little may be Unknown.
func Judge(metrics []Metric, confidence float64) ([]Judgement, Verdict, error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, Unknown, err
	}
	if len(metrics) == 0 {
		return nil, Unknown, fmt.Errorf("a gate needs a metric")
	}
	level := (1 - confidence) / 2
	judged, failing := make([]Judgement, len(metrics)), make([]float64, len(metrics))
	gate := Passed
	for i := range metrics {
		metric := &metrics[i]
		ratio, err := PairedRatio(metric.Subject, metric.Baseline, confidence)
		if err == nil {
			judged[i] = Judgement{Metric: metric.Name, Ratio: ratio, Verdict: Unknown}
			var passing float64
			if passing, failing[i], err = metric.chances(); err == nil && passing <= level {
				judged[i].Verdict = Passed
			}
		}
		if err != nil {
			return nil, Unknown, fmt.Errorf("metric %s: %w", metric.Name, err)
		}
	}
	for _, i := range holm(failing, level) {
		judged[i].Verdict = Failed
	}
	for i := range judged {
		switch {
		case judged[i].Verdict == Failed:
			gate = Failed
		case judged[i].Verdict == Unknown && gate == Passed:
			gate = Unknown
		}
	}
	return judged, gate, nil
}

// chances are how likely pairs like these are from a subject that is just as bad as the bound: pairs that are as good,
// and pairs that are as bad. Each is the tail of Wilcoxon's signed-rank statistic, which is the number of Walsh averages
// beyond the bound.
func (m *Metric) chances() (good, bad float64, err error) {
	if !(m.Bound > 0) || math.IsInf(m.Bound, 0) {
		return 0, 0, fmt.Errorf("a bound is a ratio above 0, and this is %v", m.Bound)
	}
	differences, err := logRatios(m.Subject, m.Baseline)
	if err != nil {
		return 0, 0, err
	}
	bound := math.Log(m.Bound)
	worse, better := 0, 0
	for _, average := range walshAverages(differences) {
		if m.HigherIsBetter {
			average = 2*bound - average
		}
		// An average at the bound speaks against both.
		if average >= bound {
			worse++
		}
		if average <= bound {
			better++
		}
	}
	tail := signedRank(len(differences))
	return upTo(tail, worse), upTo(tail, better), nil
}

// upTo is the probability of at most so much.
func upTo(p []float64, most int) float64 {
	sum := 0.0
	for _, probability := range p[:most+1] {
		sum += probability
	}
	return sum
}

// holm are the indices of the hypotheses that are rejected together at the level, by their p-values.
func holm(p []float64, level float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	for rank, i := range order {
		if p[i] > level/float64(len(p)-rank) {
			return order[:rank]
		}
	}
	return order
}
