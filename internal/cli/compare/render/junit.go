package render

import (
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/junit"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// JUnit has a test for each figure that is judged, and one for each pair that says that it is comparable.
func JUnit(d *comparison.Document) ([]byte, error) {
	var cases []junit.Case
	for i := range d.Compared {
		c := &d.Compared[i]
		class := heading(d, c, nil)
		if len(c.Pairs) == 0 {
			cases = append(cases, junit.Case{Class: class, Name: "there is something to compare", Verdict: report.VerdictUnknown, Message: c.Why})
		}
		if lines := alone(d, c); len(lines) > 0 && d.Verdict != "" {
			cases = append(cases, junit.Case{Class: class, Name: "each combination has a counterpart", Verdict: report.VerdictUnknown, Message: strings.Join(lines, "; ")})
		}
		for j := range c.Pairs {
			cases = append(cases, casesOf(class, &c.Pairs[j], d.Verdict != "")...)
		}
	}
	return junit.Document("comparison with "+d.Base.Argument, cases)
}

// casesOf has no case for what was imported, unless there is a gate: a CI system would take the unknown for an error, and nobody asked.
func casesOf(class string, p *comparison.Pair, gate bool) []junit.Case {
	with := ""
	if len(p.Combination) > 0 {
		with = " with " + manifest.NameOf(p.Combination)
	}
	alike := junit.Case{Class: class, Name: "the two are comparable" + with, Verdict: report.VerdictPassed}
	switch {
	case p.Outcome == comparison.Imported && !gate:
		return nil
	case p.Outcome == comparison.Imported:
		alike.Verdict, alike.Message = report.VerdictUnknown, comparison.NotJudged
	case p.Outcome == comparison.NotComparable:
		alike.Verdict, alike.Message = report.VerdictUnknown, comparison.NotComparable+": "+strings.Join(reasons(p), "; ")
	}
	cases := []junit.Case{alike}
	for i := range p.Figures {
		f := &p.Figures[i]
		if f.Verdict == "" {
			continue
		}
		message := figure(f.Ratio, unitRatio) + " times"
		if between := interval(f.Ratio); between != missing {
			message += " (" + between + ")"
		}
		if f.Why != "" {
			message += ": " + f.Why
		}
		cases = append(cases, junit.Case{Class: class, Name: f.Objective + with, Verdict: f.Verdict, Message: message})
	}
	return cases
}
