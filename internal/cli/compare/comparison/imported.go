package comparison

import (
	"slices"

	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// NotJudged is why no figure beside one of another tool is judged.
const NotJudged = "imported: validity not known"

// unsaid is why percentiles have no ratio where an output doesn't tell what they are of.
const unsaid = "whether the latencies are service or response times is not known: say it with kubectl kvbench import --time"

// ofImported says that one of the two is of another tool.
func ofImported(one, other *source.Source) bool {
	return one.Kind == source.Imported || other.Kind == source.Imported
}

// sameWorkload gives one of the two its counterpart's workload, if each has one alone and one is imported: the name in an
// imported document is that of a file. The run's name stays.
func sameWorkload(p findings.Pairing, one *source.Source) findings.Pairing {
	if len(p.One.Workloads) != 1 || len(p.Other.Workloads) != 1 {
		return p
	}
	if one.Kind == source.Imported {
		return findings.Pairing{One: renamed(p.One, p.Other.Workloads[0]), Other: p.Other}
	}
	return findings.Pairing{One: p.One, Other: renamed(p.Other, p.One.Workloads[0])}
}

// renamed is a copy of an imported combination whose workload has another name.
func renamed(c *findings.BaselineCombination, workload string) *findings.BaselineCombination {
	made := *c
	made.Workloads, made.Operations, made.Metrics = []string{workload}, slices.Clone(c.Operations), slices.Clone(c.Metrics)
	for i := range made.Operations {
		made.Operations[i].Workload = workload
	}
	for i := range made.Metrics {
		made.Metrics[i].Workload = workload
	}
	return &made
}

// compareImported compares pairings of which one side is imported. Nobody knows what was run there, so no field is compared, and
// nothing is said of chance: one trial beside many has an interval, which would be a claim.
func (q *Question) compareImported(pairings []findings.Pairing, confidence float64) ([]findings.Versus, error) {
	asked := q.ask(confidence)
	asked.Despite = []string{"/"}
	found, err := asked.Compare(pairings)
	for i := range found {
		found[i].Accepted = nil
		for _, c := range found[i].Figures {
			disclaim(c, isUnsaid(c, pairings[i].One) || isUnsaid(c, pairings[i].Other))
		}
	}
	return found, err
}

// isUnsaid says that nobody knows which time the combination's figure is of.
func isUnsaid(of *findings.Contrast, c *findings.BaselineCombination) bool {
	o := &of.Objective
	return slices.ContainsFunc(c.Metrics, func(m findings.BaselineMetric) bool {
		return m.Time == imported.Unsaid && m.Metric == o.Metric && m.Workload == o.Workload && m.Operation == o.Operation
	})
}

// disclaim leaves of a ratio its value alone, and nothing of one of which nobody knows what it is of.
func disclaim(c *findings.Contrast, isUnsaid bool) {
	why := NotJudged
	switch {
	case isUnsaid:
		c.Ratio.Value, c.Time = nil, imported.Unsaid
		why += "; " + unsaid
	case c.Ratio.Value == nil && c.Why != "":
		why += "; " + c.Why
	}
	c.Ratio = findings.Estimate{Value: c.Ratio.Value, Trials: c.Ratio.Trials}
	c.Why = why
	if c.Judged {
		c.Verdict = report.VerdictUnknown
	}
}
