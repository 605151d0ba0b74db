package judge_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// The last operation of the number asked for is intended in second 12, and the store has answered all of them by second 27.
func TestWhatAStoreTakesToDrainIsNotTheGenerators(t *testing.T) {
	situation := func(lastIntended int64) *reporttest.Situation {
		s := reporttest.NewSituation()
		s.Workload().DurationMillis, s.Workload().Operations = 0, 10_000
		s.Plan.Faults, s.Fault = nil, nil
		s.Paced = func(second, due int64) int64 {
			switch {
			case second < 12:
				return due
			case second == 12:
				return due / 2
			}
			return 0
		}
		s.Finish.LastIntendedUnixNanos = s.Nanos(lastIntended)
		return s
	}
	t.Run("the pacer was done, and the store drained", func(t *testing.T) {
		r := reporttest.Report(t, situation(12_500*bundletest.Millisecond).Build(t))
		if !r.Valid {
			t.Errorf("not valid: %v", r.InvalidReasons)
		}
		// Over ten seconds, and the half in which the last was intended.
		if rate := *r.Workloads[0].Generator.IntendedRate; rate < 950 || rate > 1050 {
			t.Errorf("%.1f operations/s were intended, want 1000", rate)
		}
	})
	t.Run("the pacer was still at it, and intended nothing", func(t *testing.T) {
		r := reporttest.Report(t, situation(26_500*bundletest.Millisecond).Build(t))
		if len(r.InvalidReasons) != 1 || r.InvalidReasons[0].Reason != report.RateNotAchieved {
			t.Errorf("reasons are %v", r.InvalidReasons)
		}
	})
}
