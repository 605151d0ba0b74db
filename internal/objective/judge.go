package objective

import (
	"math"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stats"
)

// Judge compares a run's figures with its objectives, and writes what it found into the report. Figures that may not be
// believed prove nothing.
func Judge(r *report.Report, objectives []plan.Objective) {
	if len(objectives) == 0 {
		return
	}
	set := figures.Of(r)
	all := make([]stats.Verdict, len(objectives))
	for i := range objectives {
		judged := judgeOne(&objectives[i], &set, r.Valid)
		r.Objectives = append(r.Objectives, judged)
		all[i] = stats.Verdict(judged.Verdict)
	}
	r.Verdict = string(stats.AllOf(all))
}

func judgeOne(o *plan.Objective, set *figures.Set, valid bool) report.Objective {
	values := Values(o, set)
	verdicts, judged := make([]stats.Verdict, len(values)), make([]report.Judged, len(values))
	for i, value := range values {
		verdicts[i] = Keeps(o, value.Range)
		judged[i] = report.Judged{Workload: value.Workload, Operation: value.Operation, Why: value.Why}
		if value.Range.Low == value.Range.High {
			judged[i].Value = &value.Range.Low
		} else if value.Range.Low > 0 {
			judged[i].AtLeast = &value.Range.Low
		}
		switch {
		case !valid:
			verdicts[i], judged[i].Why = stats.Unknown, "the run's numbers are not valid"
		case verdicts[i] != stats.Unknown:
			judged[i].Why = ""
		case value.Why == "":
			judged[i].Why = "it is known as a lower bound only"
		}
		judged[i].Verdict = string(verdicts[i])
	}
	return report.Objective{Objective: *o, Text: Text(o), Basis: report.BasisRun, Verdict: string(stats.AllOf(verdicts)), Judged: judged}
}

// Keeps says whether one figure keeps the objective's bound. A figure at the bound does.
func Keeps(o *plan.Objective, figure stats.Range) stats.Verdict {
	bound := boundOf(o)
	best, worst := figure.Low <= bound, figure.High <= bound
	if o.AtLeast != nil {
		best, worst = figure.High >= bound, figure.Low >= bound
	}
	switch {
	case math.IsNaN(bound):
		return stats.Unknown // of another version of kvbench
	case worst:
		return stats.Passed
	case !best:
		return stats.Failed
	}
	return stats.Unknown
}

// Bound is the objective's bound, and whether it is a lower one.
func Bound(o *plan.Objective) (bound float64, higherIsBetter bool) {
	return boundOf(o), o.AtLeast != nil
}
