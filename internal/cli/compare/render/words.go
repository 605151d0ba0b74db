// Package render writes a comparison for people, for a pull request, for tables and for CI systems. It is pure.
package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// missing stands for a figure that isn't known.
const missing = "–"

// unitRatio is of what has no unit.
const unitRatio = "ratio"

func name(f *comparison.Figure) string {
	text := f.Metric
	switch {
	case f.Operation != "":
		switch text += " of " + f.Operation; f.Time {
		case figures.ServiceTime:
			text += " (service time)"
		case imported.Unsaid:
			text += " (time not known)"
		}
	case f.Metric == figures.Outage:
		text = "longest outage"
	case f.Metric == figures.RecordsLost:
		text = "records lost"
	}
	return text
}

func figure(e findings.Estimate, unit string) string {
	switch {
	case e.Value != nil:
		return figures.Text(*e.Value, unit)
	case e.AtLeast != nil:
		return "≥ " + figures.Text(*e.AtLeast, unit)
	}
	return missing
}

func interval(e findings.Estimate) string {
	if e.Low == nil || e.High == nil {
		return missing
	}
	return figures.Text(*e.Low, unitRatio) + " … " + figures.Text(*e.High, unitRatio)
}

// change says in which direction the figure has moved, and what the trials say of it: "↓ 12.0 % worse".
func change(f *comparison.Figure) string {
	if f.Ratio.Value == nil {
		return missing
	}
	arrow, percent := "→", 100*(*f.Ratio.Value-1)
	switch {
	case percent >= 0.05:
		arrow = "↑"
	case percent <= -0.05:
		arrow = "↓"
	}
	text := fmt.Sprintf("%s %.1f %%", arrow, math.Abs(percent))
	if word := words[f.Change]; word != "" {
		text += " " + word
	}
	return text
}

// words of changes. Without an interval nothing may be said.
var words = map[string]string{comparison.Better: "better", comparison.Worse: "worse", comparison.Same: "no difference shown"}

// percent writes a part of 1, such as 95 % or 98.75 %.
func percent(part float64) string { return strconv.FormatFloat(100*part, 'g', 5, 64) + " %" }

// heading names the two that are compared.
func heading(d *comparison.Document, c *comparison.Compared, p *comparison.Pair) string {
	text := side(&c.Side) + " against " + side(&d.Base)
	if p == nil || len(p.Combination) == 0 && len(p.Base) == 0 {
		return text
	}
	one, base := manifest.NameOf(p.Combination), manifest.NameOf(p.Base)
	if one == base {
		return text + ", " + one
	}
	return text + ", " + one + " against " + base
}

// side names one of the two. What is of another tool is marked wherever it is named.
func side(s *comparison.Side) string {
	if s.Tool == "" {
		return s.Argument
	}
	return s.Argument + " (imported from " + s.Tool + ")"
}

// shownDifferences is how many differences people read. JSON has all.
const shownDifferences = 20

// differences are a line each.
func differences(all []fingerprint.Difference) (lines []string) {
	for i, d := range all {
		if i == shownDifferences {
			return append(lines, fmt.Sprintf("%d more", len(all)-i))
		}
		lines = append(lines, fmt.Sprintf("%s is %s, and %s in the base", d.Field, set(d.Value), set(d.Against)))
	}
	return lines
}

func set(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

// reasons are why a pair is not comparable.
func reasons(p *comparison.Pair) []string {
	if p.Why != "" {
		return append([]string{p.Why}, differences(p.Differences)...)
	}
	return differences(p.Differences)
}

// alone names the combinations without a counterpart.
func alone(d *comparison.Document, c *comparison.Compared) (lines []string) {
	if len(c.OnlyHere) > 0 && !single(c.Kind) {
		lines = append(lines, fmt.Sprintf("Only in %s: %s", c.Argument, combinations(c.OnlyHere)))
	}
	if len(c.OnlyInBase) > 0 && !single(d.Base.Kind) {
		lines = append(lines, fmt.Sprintf("Only in %s, and not in %s: %s", d.Base.Argument, c.Argument, combinations(c.OnlyInBase)))
	}
	return lines
}

// single says that what is of the kind is its only combination.
func single(kind string) bool { return kind == string(source.Run) || kind == string(source.Imported) }

// remedy says how to compare what differs.
func remedy(all []fingerprint.Difference) string {
	var flags []string
	for i, d := range all {
		if i == 3 {
			flags = append(flags, "...")
			break
		}
		flags = append(flags, "--despite "+d.Field)
	}
	return "To compare what differs on purpose, accept as little as you can: " + strings.Join(flags, " ")
}

// combinations names them, for people.
func combinations(all []comparison.Combination) string {
	var names []string
	for i, c := range all {
		if i == shownDifferences {
			names = append(names, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		names = append(names, manifest.NameOf(c))
	}
	return strings.Join(names, "; ")
}
