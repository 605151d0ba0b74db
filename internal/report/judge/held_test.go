package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// What is wrong in a second is told once it was written down.
func TestASecondThatTakesLongIsAReason(t *testing.T) {
	for _, c := range []struct {
		name    string
		length  int64
		seconds []int64 // nil for no reason
	}{
		{"two seconds", limits.MaxLengthMicros, nil},
		{"more", limits.MaxLengthMicros + 1000, []int64{6, 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.First = func(second int64, self *bundle.SelfSecond) {
				if second == 9 {
					self.LengthMicros = c.length
				}
			}
			r := reporttest.Report(t, s.Build(t))
			if c.seconds == nil {
				if !r.Valid {
					t.Errorf("reasons %+v", r.InvalidReasons)
				}
				return
			}
			if len(r.InvalidReasons) != 1 || r.InvalidReasons[0].Reason != report.LogDelayed || !slices.Equal(r.InvalidReasons[0].Seconds, c.seconds) ||
				!strings.Contains(r.InvalidReasons[0].Message, "worker 0 took 2.001s until it wrote down a second") {
				t.Errorf("reasons %+v, want the seconds %v", r.InvalidReasons, c.seconds)
			}
		})
	}
}
