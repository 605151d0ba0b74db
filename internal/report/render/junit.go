package render

import (
	"github.com/kvbench/kvbench/internal/junit"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/report"
)

// JUnit has a test for each objective of the run. A run whose numbers are not valid fails one of its own.
func JUnit(r *report.Report) ([]byte, error) {
	name := r.Run.Namespace + "/" + r.Run.Name
	valid := junit.Case{Class: name, Name: "the numbers are valid", Verdict: report.VerdictPassed}
	if !r.Valid {
		valid.Verdict = report.VerdictFailed
		if len(r.InvalidReasons) > 0 {
			valid.Message = r.InvalidReasons[0].Message
		}
	}
	cases := []junit.Case{valid}
	for i := range r.Objectives {
		o := &r.Objectives[i]
		cases = append(cases, junit.Case{Class: name, Name: o.Text, Verdict: o.Verdict, Message: objective.Message(o)})
	}
	return junit.Document(name, cases)
}
