package findings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Objective is a bound that figures of some combinations had to keep, and whether they did.
type Objective struct {
	plan.Objective
	Text  string `json:"text"`
	Basis string `json:"basis"` // report.BasisTrials or report.BasisRun
	// Verdict is report.VerdictFailed if one of Judged has failed, report.VerdictPassed if all have passed, and
	// report.VerdictUnknown otherwise.
	Verdict string   `json:"verdict"`
	Judged  []Judged `json:"judged"`
}

// Judged is one figure of a combination, or its ratio to that of the baseline.
type Judged struct {
	Combination []manifest.Label `json:"combination"`
	Baseline    []manifest.Label `json:"baseline,omitempty"`
	// Against names the baseline of another suite that the ratio is to; "" if it is to a combination of this one.
	Against   string `json:"against,omitempty"`
	Workload  string `json:"workload,omitempty"`
	Operation string `json:"operation,omitempty"`
	// Figure is the median of the trials or the ratio to the baseline's, with its interval. By report.BasisRun it is the worst
	// of the runs.
	Figure  Estimate `json:"figure"`
	Verdict string   `json:"verdict"`
	// Why the verdict is unknown.
	Why string `json:"why,omitempty"`
}

// pending is a verdict that a gate has still to give.
type pending struct {
	judged  *Judged
	chances stats.Chances
	trials  int
}

// judge compares the figures with the objectives. All that are judged by trials are one gate.
func (r *Report) judge(objectives []manifest.Objective, baselines map[string]*Baseline, unlike *likeness) error {
	if len(objectives) == 0 {
		return nil
	}
	var gate []pending
	for i := range objectives {
		o := &objectives[i]
		r.Objectives = append(r.Objectives, Objective{Objective: o.Objective, Text: o.Text, Basis: o.Basis, Judged: []Judged{}})
		made := &r.Objectives[i]
		for _, subject := range o.Subjects {
			other := r.against(o, subject, baselines)
			for _, of := range subjectsOf(&o.Objective, &r.Combinations[subject.Combination], other) {
				judged, chances, err := r.look(o, subject, other, of, unlike)
				if err != nil {
					return fmt.Errorf("the objective %q: %w", o.Text, err)
				}
				made.Judged = append(made.Judged, judged)
				if chances != nil {
					gate = append(gate, pending{chances: *chances, trials: judged.Figure.Trials})
				}
			}
		}
	}
	// The slices have stopped growing, so that pointers into them stay.
	next := 0
	for i := range r.Objectives {
		if r.Objectives[i].Basis == report.BasisRun {
			continue
		}
		for j := range r.Objectives[i].Judged {
			gate[next].judged = &r.Objectives[i].Judged[j]
			next++
		}
	}
	if err := decide(gate, r.Confidence); err != nil {
		return err
	}
	r.conclude()
	return nil
}

// decide gives the verdicts of all that are judged by trials.
func decide(gate []pending, confidence float64) error {
	chances := make([]stats.Chances, len(gate))
	for i := range gate {
		chances[i] = gate[i].chances
	}
	verdicts, _, err := stats.Gate(chances, confidence)
	if err != nil {
		return err
	}
	least := stats.LeastTrials(confidence)
	for i, verdict := range verdicts {
		judged := gate[i].judged
		judged.Verdict = string(verdict)
		switch {
		case verdict != stats.Unknown:
			judged.Why = ""
		case judged.Why != "":
		case gate[i].trials < least && judged.Against == "":
			judged.Why = fmt.Sprintf("%d trials are too few: it takes %d", gate[i].trials, least)
		case gate[i].chances.Bad <= (1-confidence)/2:
			judged.Why = fmt.Sprintf("it is beyond the bound, and among %d figures chance may put one there: it takes more trials", len(gate))
		default:
			judged.Why = "these trials don't tell on which side of the bound it is"
		}
	}
	return nil
}

// conclude gives the verdicts of objectives, and of the suite. Before all trials have ended there is none: who looks after each
// trial, and stops when it suits him, is wrong more often than the intervals say.
func (r *Report) conclude() {
	all := make([]stats.Verdict, len(r.Objectives))
	for i := range r.Objectives {
		o := &r.Objectives[i]
		verdicts := make([]stats.Verdict, len(o.Judged))
		for j := range o.Judged {
			if !r.Complete {
				o.Judged[j].Verdict, o.Judged[j].Why = report.VerdictUnknown, "the suite is under way"
			}
			verdicts[j] = stats.Verdict(o.Judged[j].Verdict)
		}
		all[i] = stats.AllOf(verdicts)
		o.Verdict = string(all[i])
	}
	r.Verdict = string(stats.AllOf(all))
}

// against is what the subject is compared with; nil if with nothing, or with what isn't there.
func (r *Report) against(o *manifest.Objective, subject manifest.Subject, baselines map[string]*Baseline) *Combination {
	switch {
	case subject.Baseline != nil:
		return &r.Combinations[*subject.Baseline]
	case o.Against == "" || baselines[o.Against] == nil:
		return nil
	}
	found := baselines[o.Against].find(r.Combinations[subject.Combination].Labels)
	if found == nil {
		return nil
	}
	return found.combination()
}

// subjectsOf are the workloads, or the kinds of operations, that the objective bounds in a combination and its baseline, which
// may be nil.
func subjectsOf(o *plan.Objective, one, baseline *Combination) (all []objective.Subject) {
	found := map[objective.Subject]bool{}
	for _, combination := range []*Combination{one, baseline} {
		if combination == nil {
			continue
		}
		for _, run := range combination.trials {
			if run == nil {
				continue
			}
			for _, value := range objective.Values(o, &run.figures) {
				found[value.Subject] = true
			}
		}
	}
	if len(found) == 0 {
		return []objective.Subject{{Workload: o.Workload, Operation: o.Operation}}
	}
	return slices.SortedFunc(maps.Keys(found), objective.Subject.Compare)
}

// look finds the figure of one subject. other is what it is compared with. Without chances it has its verdict already.
func (r *Report) look(o *manifest.Objective, subject manifest.Subject, other *Combination, of objective.Subject, unlike *likeness) (judged Judged, chances *stats.Chances, err error) {
	one := &r.Combinations[subject.Combination]
	judged = Judged{Combination: one.Labels, Against: o.Against, Workload: of.Workload, Operation: of.Operation}
	if o.Against != "" {
		chances, err = r.lookBack(o, one, other, &judged, unlike)
		return judged, chances, err
	}
	if subject.Baseline != nil {
		judged.Baseline = other.Labels
		if differences := unlike.between(one, other, r.fieldsBetween(one, other)); len(differences) > 0 {
			judged.Why = notComparable(differences)
			return judged, unknown, nil
		}
		chances, err = ratioOf(&o.Objective, one, other, &judged, r.Confidence)
		return judged, chances, err
	}
	values := one.rangesOf(&o.Objective, of, one.blocks())
	judged.Why = without(values, "")
	if o.Basis == report.BasisRun {
		byRuns(&o.Objective, values, &judged)
		return judged, nil, nil
	}
	if judged.Figure, err = medianOfRanges(values, r.Confidence); err != nil {
		return judged, nil, err
	}
	if text := unlike.unlike(one); text != "" {
		judged.Why = "its trials are not alike: " + text
		return judged, unknown, nil
	}
	bound, higher := objective.Bound(&o.Objective)
	found, err := stats.MedianChances(values, bound, higher)
	return judged, &found, err
}

// byRuns judges each run by its own figure.
func byRuns(o *plan.Objective, values []stats.Range, judged *Judged) {
	verdicts := make([]stats.Verdict, len(values))
	_, higher := objective.Bound(o)
	judged.Figure.Trials = len(values)
	for i, value := range values {
		verdicts[i] = objective.Keeps(o, value)
	}
	if len(values) > 0 {
		worst := slices.MaxFunc(values, func(a, b stats.Range) int { return compareRanges(a, b, higher) })
		if judged.Figure.Value = finite(worst.Low); worst.High != worst.Low {
			judged.Figure.Value, judged.Figure.AtLeast = nil, finite(worst.Low)
		}
	}
	verdict := stats.AllOf(verdicts)
	judged.Verdict = string(verdict)
	switch {
	case verdict != stats.Unknown:
		judged.Why = ""
	case judged.Why == "":
		judged.Why = "a figure is a lower bound"
	}
	if len(values) == 0 {
		judged.Why = "no trial has ended"
	}
}

// compareRanges says which of two figures is worse, as far as that is known.
func compareRanges(a, b stats.Range, higherIsBetter bool) int {
	if higherIsBetter {
		a, b = b, a
	}
	switch {
	case a.Low < b.Low:
		return -1
	case a.Low > b.Low:
		return 1
	}
	return 0
}
