package render

import (
	"github.com/kvbench/kvbench/internal/junit"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// JUnit has a test for each objective of the suite, and one that says that each combination has valid numbers.
func JUnit(r *findings.Report) ([]byte, error) {
	name := r.Suite.Namespace + "/" + r.Suite.Name
	valid := junit.Case{Class: name, Name: "each combination has valid numbers", Verdict: report.VerdictPassed}
	for i := range r.Combinations {
		if c := &r.Combinations[i]; c.Valid == 0 && !c.Absent && valid.Verdict == report.VerdictPassed {
			valid.Verdict, valid.Message = report.VerdictFailed, "no trial has valid numbers of "+c.Name()
		}
	}
	if !r.Complete {
		valid.Verdict, valid.Message = report.VerdictUnknown, "the suite is under way"
	}
	cases := []junit.Case{valid}
	if r.Search != nil {
		cases = append(cases, searched(name, r.Search))
	}
	for i := range r.Objectives {
		o := &r.Objectives[i]
		cases = append(cases, junit.Case{Class: name, Name: o.Text, Verdict: o.Verdict, Message: o.Message()})
	}
	return junit.Document(name, cases)
}

// searched is the test that the search came to its end in each combination.
func searched(class string, search *findings.Search) junit.Case {
	made := junit.Case{Class: class, Name: "each search came to its end", Verdict: report.VerdictPassed}
	if search.UnderWay {
		made.Verdict, made.Message = report.VerdictUnknown, "the search is under way"
	}
	for i := range search.Found {
		if f := &search.Found[i]; f.Why != "" && made.Verdict == report.VerdictPassed {
			made.Verdict, made.Message = report.VerdictUnknown, manifest.NameOf(f.With)+": "+f.Why
		}
	}
	return made
}
