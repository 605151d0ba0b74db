package judge_test

import (
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// A quarter of two cores is half a second in each second.
func TestTheCollectorsShareOfTheCoresIsJudged(t *testing.T) {
	for _, c := range []struct {
		name        string
		cpu         int64
		from, until int64 // seconds of the measurement
		reason      bool
	}{
		{"at the limit", 500_000, 0, 20, false},
		{"beyond it", 500_100, 0, 20, true},
		{"beyond it in two seconds", 2_000_000, 5, 7, false},
		{"beyond it in three", 500_100, 5, 8, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.First = func(second int64, self *bundle.SelfSecond) {
				self.Cores = waits(0, 0)
				if second -= 2; second >= c.from && second < c.until {
					self.GCCPUMicros = c.cpu
				}
			}
			r := reporttest.Report(t, s.Build(t))
			if got := len(r.InvalidReasons) == 1 && r.InvalidReasons[0].Reason == report.GeneratorPaused && slices.Contains(r.InvalidReasons[0].Seconds, c.from); got != c.reason || r.Valid == c.reason {
				t.Errorf("reasons %+v", r.InvalidReasons)
			}
			if g := r.Workloads[0].Generator; g.GCCPUMaxMicros != c.cpu || g.GCCPUMicros != c.cpu*(c.until-c.from) {
				t.Errorf("it says %d µs, and at most %d", g.GCCPUMicros, g.GCCPUMaxMicros)
			}
		})
	}
}
