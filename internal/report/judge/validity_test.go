package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// expectation is what a report says of a run that had this in it.
type expectation struct {
	name    string
	change  func(*reporttest.Situation) // of what happened
	files   func(bundletest.Files)      // of what was written
	reasons []string                    // why the run isn't valid
	says    string
	check   func(*testing.T, *report.Report)
}

func judge(t *testing.T, verdicts []expectation) {
	t.Helper()
	for _, c := range verdicts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := reporttest.NewSituation()
			s.Scene.Rate /= 4
			s.Workload().Load.Rate /= 4
			if c.change != nil {
				c.change(s)
			}
			f := s.Build(t)
			if c.files != nil {
				c.files(f)
			}
			r := reporttest.Report(t, f)
			var reasons []string
			var said strings.Builder
			for _, reason := range r.InvalidReasons {
				reasons = append(reasons, reason.Reason)
				said.WriteString(reason.Message + "\n")
			}
			if !slices.Equal(reasons, c.reasons) || r.Valid != (len(c.reasons) == 0) {
				t.Errorf("reasons are %v, want %v:\n%s", reasons, c.reasons, said.String())
			}
			if !strings.Contains(said.String(), c.says) {
				t.Errorf("%q is not said in:\n%s", c.says, said.String())
			}
			if c.check != nil {
				c.check(t, r)
			}
		})
	}
}

func TestOperationsAreAResult(t *testing.T) {
	judge(t, []expectation{
		{name: "all is well"},
		{
			name: "every operation failed: a result",
			change: func(s *reporttest.Situation) {
				s.Answers(func(int64) bundletest.Answer { return bundletest.Answer{Failed: true, Took: bundletest.Millisecond} })
			},
		},
		{
			name:    "no operation at all",
			change:  func(s *reporttest.Situation) { s.Scene.Duration = 1 * bundletest.Second }, // the workers end in the warm-up
			reasons: []string{report.NoOperations, report.FaultNotInjected},
		},
	})
}
