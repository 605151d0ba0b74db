package findings

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// OneTrialEach is why a ratio of two single runs proves nothing.
const OneTrialEach = "one trial each: no interval, so a difference may be the machine's"

// Pairing is a combination, and the one of another suite that it is compared with.
type Pairing struct{ One, Other *BaselineCombination }

// Question says what of pairings is compared.
type Question struct {
	// Metrics are names of internal/objective.
	Metrics []string
	// All says that a pairing without a figure of one of Metrics has an unknown figure of it. Otherwise it has none.
	All bool
	// Operation is the kind of operation whose percentiles are compared; "" for each kind.
	Operation string
	// Margin is by which part a figure may be worse than the other, such as 0.05. With 0 nothing is judged.
	Margin float64
	// Confidence of all intervals, such as 0.95.
	Confidence float64
	// Despite are fields in which the two may differ, as in a suite's spec.compare.despite.
	Despite []string
}

// Versus is what is found of a pairing.
type Versus struct {
	// Differences are those that nobody accepted. With any of them the two are not comparable, and have no figures.
	Differences []fingerprint.Difference
	// Accepted are those that Question.Despite accepts.
	Accepted []fingerprint.Difference
	Figures  []*Contrast
}

// Contrast is a figure of both combinations.
type Contrast struct {
	// Objective says which figure it is. Its bound is the worst ratio that is allowed; it has one whether it is judged or not.
	Objective plan.Objective
	Metric    *objective.Metric
	// Time of a percentile, in internal/report/figures; "" of other metrics, and where the two have different ones.
	Time string
	// Value and Base are the medians of the valid trials, in the unit of the metric.
	Value, Base Estimate
	// Ratio is how many times Base the value is.
	Ratio Estimate
	// Judged says that the figure is one of the gate. Verdict is then of internal/report.
	Judged  bool
	Verdict string
	// Why there is no ratio, no interval or no verdict.
	Why string
}

// Compare compares combinations whose trials were made at different times, as an objective against a kept baseline does: the
// ratio has Moses' interval, and all figures with a verdict are one gate, with Holm's procedure. Its error is of figures that
// no trial can have.
func (q *Question) Compare(pairings []Pairing) ([]Versus, error) {
	r := &Report{Confidence: q.Confidence}
	all := make([]Versus, len(pairings))
	var gate []pending
	var waiting []*Contrast
	unlike, strict := newLikeness(q.Despite), newLikeness(nil)
	for i, p := range pairings {
		one, other := p.One.combination(), p.Other.combination()
		all[i].Differences = unlike.across(one, other, nil)
		for _, d := range strict.across(one, other, nil) {
			if !slices.Contains(all[i].Differences, d) {
				all[i].Accepted = append(all[i].Accepted, d)
			}
		}
		if len(all[i].Differences) > 0 {
			continue
		}
		for _, o := range q.objectives(one, other) {
			c, judged, chances, err := r.contrast(o, one, other, unlike)
			if err != nil {
				return nil, fmt.Errorf("comparing %s: %w", objective.TextOf(&o, ""), err)
			}
			all[i].Figures = append(all[i].Figures, c)
			if q.Margin > 0 && c.Metric.Ratio {
				c.Judged = true
				waiting = append(waiting, c)
				gate = append(gate, pending{judged: judged, chances: *chances, trials: judged.Figure.Trials})
			}
		}
	}
	if err := decide(gate, q.Confidence); err != nil {
		return nil, err
	}
	for i, c := range waiting {
		c.Verdict = gate[i].judged.Verdict
		if c.Ratio.Value != nil && c.Why != OneTrialEach {
			c.Why = gate[i].judged.Why
		}
	}
	return all, nil
}

// objectives are one for each figure that the two may have.
func (q *Question) objectives(one, other *Combination) (all []plan.Objective) {
	for _, name := range q.Metrics {
		m, known := objective.Find(name)
		if !known {
			continue
		}
		o := plan.Objective{Metric: name}
		if m.OfOperations {
			o.Operation = q.Operation
		}
		if name == figures.Outage {
			o.Statistic = plan.StatisticMax
		}
		if worst := 1 - q.Margin; m.HigherIsBetter {
			o.AtLeast = &worst
		} else {
			worst = 1 + q.Margin
			o.AtMost = &worst
		}
		for _, subject := range subjectsOf(&o, one, other) {
			if subject.Workload == "" && !q.All {
				continue // neither has such a figure
			}
			of := o
			of.Workload, of.Operation = subject.Workload, subject.Operation
			all = append(all, of)
		}
	}
	return all
}

// contrast finds one figure of both. The chances are those of the ratio beside the bound.
func (r *Report) contrast(o plan.Objective, one, other *Combination, unlike *likeness) (*Contrast, *Judged, *stats.Chances, error) {
	metric, _ := objective.Find(o.Metric)
	c := &Contrast{Objective: o, Metric: metric}
	of := objective.Subject{Workload: o.Workload, Operation: o.Operation}
	first, second := one.rangesOf(&o, of, one.blocks()), other.rangesOf(&o, of, other.blocks())
	for time := range one.timesOf(&o, of, other.timesOf(&o, of, map[string]bool{})) {
		if c.Time != "" {
			c.Time = "" // there are two, and lookBack says so
			break
		}
		c.Time = time
	}
	var err error
	if c.Value, err = medianOfRanges(told(first), r.Confidence); err != nil {
		return nil, nil, nil, err
	}
	if c.Base, err = medianOfRanges(told(second), r.Confidence); err != nil {
		return nil, nil, nil, err
	}
	judged := &Judged{Against: manifest.NameOf(other.Labels), Workload: o.Workload, Operation: o.Operation}
	chances, err := r.lookBack(&manifest.Objective{Objective: o, Against: judged.Against}, one, other, judged, unlike)
	if err != nil {
		return nil, nil, nil, err
	}
	c.Ratio, c.Why = judged.Figure, judged.Why
	if why := withoutRatio(first, second); why != "" && incomparable(&o, one, other, of) == "" {
		c.Ratio, c.Why = Estimate{Trials: judged.Figure.Trials}, why
	}
	switch {
	case o.Workload == "":
		c.Why = "neither has such a figure"
	case len(first) == 1 && len(second) == 1 && c.Ratio.Value != nil:
		c.Why = OneTrialEach
	}
	return c, judged, chances, nil
}

// told are the figures of which something is known.
func told(ranges []stats.Range) []stats.Range {
	return slices.DeleteFunc(slices.Clone(ranges), func(r stats.Range) bool { return r == anything })
}

// withoutRatio says which figures keep two from having a ratio; "" if none does. The ratio of the others alone would be of trials
// that were chosen by their figures.
func withoutRatio(first, second []stats.Range) string {
	zeros, all := 0, append(slices.Clone(first), second...)
	for _, r := range all {
		switch {
		case r == anything:
		case r.Low != r.High:
			return "a figure is a lower bound, which has no ratio to others"
		case r.Low == 0:
			zeros++
		}
	}
	switch {
	case zeros == 0:
		return ""
	case zeros == len(all):
		return "both are 0"
	}
	return "a figure is 0, which has no ratio to others"
}
