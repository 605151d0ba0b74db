package stats

import (
	"cmp"
	"fmt"
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
func Judge(metrics []Metric, confidence float64) ([]Judgement, Verdict, error) {
	if len(metrics) == 0 {
		return nil, Unknown, fmt.Errorf("a gate needs a metric")
	}
	judged, chances := make([]Judgement, len(metrics)), make([]Chances, len(metrics))
	for i := range metrics {
		metric := &metrics[i]
		ratio, err := PairedRatio(metric.Subject, metric.Baseline, confidence)
		if err == nil {
			judged[i] = Judgement{Metric: metric.Name, Ratio: ratio}
			chances[i], err = RatioChances(known(metric.Subject), known(metric.Baseline), metric.Bound, metric.HigherIsBetter)
		}
		if err != nil {
			return nil, Unknown, fmt.Errorf("metric %s: %w", metric.Name, err)
		}
	}
	verdicts, gate, err := Gate(chances, confidence)
	for i := range verdicts {
		judged[i].Verdict = verdicts[i]
	}
	return judged, gate, err
}

// Gate says which bounds are kept, and whether all are, from what trials say of each.
//
// A bound is kept where the whole interval keeps it: one that is as bad as the bound passes with half of 1 - confidence
// at most. So does a gate, which opens only if all bounds are kept, and needs no correction for their number (Berger,
// Technometrics 24, 1982, theorem 1). A bound isn't kept where the whole interval is beyond it. A gate fails by any one
// of them, so the more bounds it has, the more often chance fails it. Holm's procedure corrects that (Scandinavian
// Journal of Statistics 6, 1979, section 2): one whose interval is beyond the bound by a little may be Unknown.
func Gate(bounds []Chances, confidence float64) ([]Verdict, Verdict, error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, Unknown, err
	}
	level := (1 - confidence) / 2
	verdicts, failing := make([]Verdict, len(bounds)), make([]float64, len(bounds))
	for i, bound := range bounds {
		verdicts[i], failing[i] = Unknown, bound.Bad
		if bound.Good <= level {
			verdicts[i] = Passed
		}
	}
	for _, i := range holm(failing, level) {
		verdicts[i] = Failed
	}
	return verdicts, AllOf(verdicts), nil
}

// AllOf is the verdict of several together: Failed if one has failed, and Passed if all have passed. Of none it is
// Unknown.
func AllOf(verdicts []Verdict) Verdict {
	switch {
	case slices.Contains(verdicts, Failed):
		return Failed
	case slices.Contains(verdicts, Unknown) || len(verdicts) == 0:
		return Unknown
	}
	return Passed
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
