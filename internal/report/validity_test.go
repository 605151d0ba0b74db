package report

import (
	"slices"
	"strings"
	"testing"
)

// verdict is what a report says of a run that had this in it.
type verdict struct {
	name    string
	change  func(*situation) // of what happened
	files   func(files)      // of what was written
	reasons []string         // why the run isn't valid
	says    string
	check   func(*testing.T, *Report)
}

func judge(t *testing.T, verdicts []verdict) {
	t.Helper()
	for _, c := range verdicts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSituation()
			s.scene.rate /= 4
			s.workload().Load.Rate /= 4
			if c.change != nil {
				c.change(s)
			}
			f := s.build(t)
			if c.files != nil {
				c.files(f)
			}
			r := reportOf(t, f)
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
	judge(t, []verdict{
		{name: "all is well"},
		{
			name:   "every operation failed: a result",
			change: func(s *situation) { s.answers(func(int64) answer { return answer{failed: true, took: ms} }) },
		},
		{
			name:    "no operation at all",
			change:  func(s *situation) { s.scene.duration = 1 * sec }, // the workers end in the warm-up
			reasons: []string{NoOperations, FaultNotInjected},
		},
	})
}
