package compute_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func gettingFaster(at int64) bundletest.Answer {
	return bundletest.Answer{Took: 2*millisecond + int64(20*float64(millisecond)*math.Exp(-float64(at)/float64(10*second)))}
}

// injectAt moves the fault of a situation to an instant of the measurement.
func injectAt(s *reporttest.Situation, at int64) {
	warmup := s.Workload().Load.WarmupMillis * millisecond
	later := (warmup + at - reporttest.KilledAt) * instant.NanosPerMicro
	s.Plan.Faults[0].AtMillis = at / millisecond
	s.Fault.RequestedUnixNanos += later
	s.Fault.InjectedAfterUnixNanos += later
	s.Fault.InjectedBeforeUnixNanos += later
}

func TestAReportRemarksThatTheStoreGotFaster(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(int64) bundletest.Answer
		change   func(*reporttest.Situation)
		killedAt int64 // in the measurement; 0 is never
		trend    bool
		remarked bool
	}{
		"a store that gets faster": {answer: gettingFaster, trend: true, remarked: true},
		"in a closed loop":         {answer: gettingFaster, change: func(s *reporttest.Situation) { s.Workload().Load.Rate = 0 }, trend: true, remarked: true},
		"one that stays as it is":  {answer: bundletest.Healthy, trend: true},
		"one that is warm by then": {answer: gettingFaster, change: func(s *reporttest.Situation) {
			s.Workload().Load.WarmupMillis, s.Scene.Duration = 40_000, 85*second
		}, trend: true},
		"a rate that changes": {answer: gettingFaster, change: func(s *reporttest.Situation) {
			s.Workload().Load.Shape = &plan.Shape{Segments: []plan.Segment{{From: 1000, To: 1000, Millis: 1000}}}
		}},
		"a fault in the first half minute":  {answer: gettingFaster, killedAt: 28 * second},
		"a fault later: what was before it": {answer: gettingFaster, killedAt: 35 * second, trend: true, remarked: true},
		"a measurement of less than half a minute": {answer: gettingFaster, change: func(s *reporttest.Situation) {
			s.Workload().DurationMillis, s.Scene.Duration = 29_000, 36*second
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Workload().DurationMillis, s.Scene.Duration = 40_000, 47*second
			s.Workload().Load.Rate, s.Scene.Rate = 200, 200
			s.Answers(c.answer)
			if c.killedAt > 0 {
				injectAt(s, c.killedAt)
			} else {
				s.Plan.Faults, s.Fault = nil, nil
			}
			if c.change != nil {
				c.change(s)
			}
			r := reporttest.Report(t, s.Build(t))
			if got := r.Workloads[0].Trend; (got != nil) != c.trend {
				t.Fatalf("the trend is %+v", got)
			}
			if remarked := len(r.Remarks) == 1 && r.Remarks[0].Reason == report.GotFaster; remarked != c.remarked || len(r.Remarks) > 1 {
				t.Errorf("the remarks are %+v; the trend is %+v", r.Remarks, r.Workloads[0].Trend)
			}
			markdown, table := string(render.Markdown(r)), render.Table(r)
			if strings.Contains(markdown, "**GotFaster** (workload a): the median ") != c.remarked || strings.Contains(table, "remark, GotFaster") != c.remarked {
				t.Errorf("is it remarked? want %t\n%s\n%s", c.remarked, markdown, table)
			}
			if c.remarked && c.killedAt == 0 && !r.Valid {
				t.Errorf("not valid: %+v", r.InvalidReasons)
			}
		})
	}
}
