package outage_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// A log's rows are cut at full seconds of the clock, and a measurement may begin between two of them. The row in which the
// leader is killed has operations that ended after that.
func TestWhatFollowsAnInjectionIsNotInTheP99Before(t *testing.T) {
	const millisecond, second = bundletest.Millisecond, bundletest.Second
	for _, c := range []struct {
		name           string
		warmup, offset int64 // of the start, from a full second
	}{
		{"all at full seconds", 2 * second, 0},
		{"a start after a full second", 2 * second, 300 * millisecond},
		{"a start before a full second", 2 * second, 700 * millisecond},
		{"a warm-up of no full seconds", 2600 * millisecond, 0},
		{"both", 2600 * millisecond, 700 * millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Answers(bundletest.Stall(reporttest.KilledAt+30*millisecond, reporttest.KilledAt+3030*millisecond)) // all succeed, late
			s.Workload().Load.WarmupMillis = c.warmup / 1000
			s.Shift(c.offset * instant.NanosPerMicro)
			f := reporttest.Report(t, s.Build(t)).Faults[0]
			if *f.P99BeforeMicros > 3*millisecond {
				t.Errorf("p99 before is %d µs", *f.P99BeforeMicros)
			}
			bundletest.Near(t, "outage", *f.OutageMicros, 3*second, 0)
		})
	}
}

// The overdue successes of the first outage would raise the limit of the second.
func TestSecondFaultIsJudgedByTheCalmBefore(t *testing.T) {
	const millisecond, second = bundletest.Millisecond, bundletest.Second
	s := reporttest.NewSituation()
	again := *s.Fault
	again.Name = "again"
	again.Target, again.LeaderBefore, again.TermBefore = "m-2", "m-2", 5
	again.InjectedAfterUnixNanos = s.Nanos(21 * second)
	again.InjectedBeforeUnixNanos = s.Nanos(21*second + 100*millisecond)
	s.Plan.Faults = append(s.Plan.Faults, plan.Fault{Name: "again", Workload: "a", Action: "ContainerKill", Target: plan.Target{Role: plan.RoleLeader}, AtMillis: 19_000})
	first := bundletest.Stall(reporttest.KilledAt+30*millisecond, reporttest.KilledAt+3030*millisecond)
	s.Answers(func(at int64) bundletest.Answer {
		if at > 20*second {
			return bundletest.Stall(21*second+10*millisecond, 21*second+910*millisecond)(at)
		}
		return first(at)
	})
	s.Observe(21*second+200*millisecond, 32*second, 500*millisecond, bundletest.TopologyLine("m-0", 6, true))
	f := s.Build(t)
	f.Put(bundle.FaultsFile, append(f[bundle.FaultsFile].Data, bundletest.Line(again)...))
	r := reporttest.Report(t, f)
	if !r.Valid {
		t.Errorf("not valid: %v", r.InvalidReasons)
	}
	bundletest.Near(t, "first outage", *r.Faults[0].OutageMicros, 3*second, 0)
	bundletest.Near(t, "second outage", *r.Faults[1].OutageMicros, 900*millisecond, 0)
	if *r.Faults[1].OverdueMicros != *r.Faults[0].OverdueMicros {
		t.Errorf("overdue above %d, then %d", *r.Faults[0].OverdueMicros, *r.Faults[1].OverdueMicros)
	}
	if r.Faults[0].LeaderAfter != "m-2" || r.Faults[1].LeaderAfter != "m-0" {
		t.Errorf("leaders after are %s and %s", r.Faults[0].LeaderAfter, r.Faults[1].LeaderAfter)
	}
}
