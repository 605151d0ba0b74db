// Package render writes a suite's report for people (Markdown) and for tables (CSV).
package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Markdown is the report for people. The same report gives the same bytes.
func Markdown(r *findings.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", render.Escape(r.Suite.Namespace+"/"+r.Suite.Name))
	state := "All trials have ended."
	if !r.Complete {
		state = "**The suite is under way**: these are the trials that have ended."
	}
	fmt.Fprintf(&b, "%s in %s, in random order from seed %d. UID `%s`. %s\n", count(measured(r), "combination"), count(r.Blocks, "block"), r.Seed, r.Suite.UID, state)
	if r.Reuse != "" {
		b.WriteString("\nCombinations of a block that differ in workloads and load alone were measured one after the other on one store, which was emptied before each.\n")
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "\n- **Warning**: %s\n", render.Escape(warning))
	}
	for _, against := range r.Baselines {
		fmt.Fprintf(&b, "\nThe baseline %s is what the suite %s found, UID `%s`.\n", render.Escape(against.Name), render.Escape(against.Suite.Namespace+"/"+against.Suite.Name), against.Suite.UID)
	}
	if r.Search != nil && r.Search.UnderWay {
		writeSearch(&b, r.Search)
		return b.String()
	}
	b.WriteString("\n## Trials\n\n")
	render.MarkdownTable(&b, trials(r))
	if unusable := unusable(r); len(unusable) > 1 {
		b.WriteString("\nRuns without valid numbers:\n\n")
		render.MarkdownTable(&b, unusable)
	}
	if len(r.Objectives) > 0 {
		fmt.Fprintf(&b, "\n## Objectives: %s\n\n", r.Verdict)
		render.MarkdownTable(&b, objectives(r))
	}
	writeSearch(&b, r.Search)
	if w := r.Width; w != nil {
		fmt.Fprintf(&b, "\nThe suite was to end as soon as %s. %s\n", until(w), found(w))
	}
	fmt.Fprintf(&b, "\n## Figures\n\nMedians of the valid trials, with the interval that has the true median with a probability of at least %s. It takes %d trials. "+
		"≥ marks a lower bound: some figures are lower bounds themselves, such as an outage that outlasted its measurement. "+
		"Times are response times of an open loop, or else service times.\n\n", percent(r.Confidence), stats.LeastTrials(r.Confidence))
	render.MarkdownTable(&b, medians(r))
	if len(r.Growth) > 0 {
		fmt.Fprintf(&b, "\n## Growth\n\nThe throughput of N by the Universal Scalability Law, λN / (1 + σ(N−1) + κN(N−1)): λ is that of one, σ what they wait for each other, κ what "+
			"each pair costs. Intervals are made by drawing trials anew, and are somewhat narrower than the %s that they are for. The residual is the one that is farthest from the law.\n\n", percent(r.Confidence))
		render.MarkdownTable(&b, growth(r))
	}
	if len(r.Comparisons) > 0 {
		fmt.Fprintf(&b, "\n## Comparisons\n\nBy which factor a figure differs: the Hodges-Lehmann estimate over the blocks in which both are valid, with its interval of %s. "+
			"Where the interval has 1.00 in it, these trials don't show a difference.\n\n", percent(r.Confidence))
		render.MarkdownTable(&b, comparisons(r))
	}
	return b.String()
}

// measured is how many combinations have trials.
func measured(r *findings.Report) (n int) {
	for i := range r.Combinations {
		if !r.Combinations[i].Absent {
			n++
		}
	}
	return n
}

// count is so many of a thing, for people.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func trials(r *findings.Report) [][]string {
	rows := [][]string{{"combination", "valid", "unusable", "left"}}
	for _, c := range r.Combinations {
		if c.Absent {
			continue
		}
		rows = append(rows, []string{manifest.NameOf(c.Labels), fmt.Sprint(c.Valid), fmt.Sprint(c.Unusable), fmt.Sprint(c.Left)})
	}
	return rows
}

func objectives(r *findings.Report) [][]string {
	rows := [][]string{{"objective", "combination", "workload", "operation", "figure", "trials", "verdict", "why"}}
	for i := range r.Objectives {
		o := &r.Objectives[i]
		for k := range o.Judged {
			j := &o.Judged[k]
			rows = append(rows, []string{o.Text, manifest.NameOf(j.Combination), j.Workload, j.Operation, j.Text(&o.Objective), fmt.Sprint(j.Figure.Trials), j.Verdict, j.Why})
		}
	}
	return rows
}

func unusable(r *findings.Report) [][]string {
	rows := [][]string{{"run", "combination", "block", "outcome", "why"}}
	for _, trial := range r.Trials {
		for _, attempt := range trial.Attempts {
			if attempt.Outcome != manifest.Valid {
				rows = append(rows, []string{attempt.Run, manifest.NameOf(r.Combinations[trial.Combination].Labels), fmt.Sprint(trial.Block + 1),
					string(attempt.Outcome), strings.Join(attempt.Reasons, ", ")})
			}
		}
	}
	return rows
}

func medians(r *findings.Report) [][]string {
	rows := [][]string{{"combination", "workload", "figure", "median", percent(r.Confidence), "trials"}}
	for _, c := range r.Combinations {
		for _, m := range c.Metrics {
			rows = append(rows, []string{manifest.NameOf(c.Labels), m.Workload, figureName(m.Name), median(m.Median, m.Unit), interval(m.Median, m.Unit), fmt.Sprint(m.Median.Trials)})
		}
	}
	return rows
}

func comparisons(r *findings.Report) [][]string {
	rows := [][]string{{"compared", "with", "workload", "figure", "ratio", percent(r.Confidence), "blocks"}}
	for _, c := range r.Comparisons {
		with := ""
		if len(c.With) > 0 {
			with = manifest.NameOf(c.With)
		}
		ratio, between := value(c.Ratio.Value, unitRatio), interval(c.Ratio, unitRatio)
		if c.Why != "" {
			ratio, between = "–", c.Why
		}
		rows = append(rows, []string{fmt.Sprintf("%s=%s / %s", c.Axis, c.Value, c.Against), with, c.Workload, figureName(c.Name), ratio, between, fmt.Sprint(c.Ratio.Trials)})
	}
	return rows
}

func growth(r *findings.Report) [][]string {
	rows := [][]string{{"N", "with", "workload", "operations/s of N", "λ", "σ", "κ", "highest at N", "residual"}}
	for _, g := range r.Growth {
		with, sizes := "", []string{}
		if len(g.With) > 0 {
			with = manifest.NameOf(g.With)
		}
		worst, largest := 0.0, 0.0
		for _, s := range g.Sizes {
			sizes = append(sizes, fmt.Sprintf("%g: %s", s.N, value(s.Throughput, figures.PerSecond)))
			largest = max(largest, s.N)
			if s.Residual != nil && math.Abs(*s.Residual) > math.Abs(worst) {
				worst = *s.Residual
			}
		}
		row := []string{g.Axis, with, g.Workload, strings.Join(sizes, ", "), missing, missing, missing, g.Why, missing}
		if law := g.Law; law != nil {
			peak := "grows on"
			if law.Peak != nil {
				if peak = fmt.Sprintf("%.3g", *law.Peak); *law.Peak > largest {
					peak = fmt.Sprintf("beyond %g", largest)
				}
			}
			row = append(row[:4], parameter(law.Lambda, perSecond), parameter(law.Sigma, short), parameter(law.Kappa, short), peak, fmt.Sprintf("%+.1f %%", 100*worst))
		}
		rows = append(rows, row)
	}
	return rows
}

func parameter(p findings.Parameter, text func(float64) string) string {
	if p.Low == nil || p.High == nil {
		return text(p.Value)
	}
	return fmt.Sprintf("%s (%s … %s)", text(p.Value), text(*p.Low), text(*p.High))
}

func perSecond(v float64) string { return figures.Text(v, figures.PerSecond) }
func short(v float64) string     { return fmt.Sprintf("%.3g", v) }

func figureName(n figures.Name) string {
	switch {
	case n.Operation != "":
		if n.Time == figures.ServiceTime {
			return n.Metric + " of " + n.Operation + " (service time)"
		}
		return n.Metric + " of " + n.Operation
	case n.Fault != "":
		return n.Metric + " by " + n.Fault
	}
	return n.Metric
}
