package judge_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// The catalog says that a partition lasts.
func TestAPartitionIsJudged(t *testing.T) {
	// The leader is cut off. Another one is elected after three seconds, and the old one joins it a second after the end.
	partition := func(s *reporttest.Situation) {
		s.Plan.Faults[0].Action, s.Plan.Faults[0].DurationMillis = "Partition", 5000
		s.Fault.Targets, s.Fault.Peers, s.Fault.DurationMillis = []string{"m-1"}, []string{"m-0", "m-2"}, 5000
		s.Fault.EndedAfterUnixNanos = s.Nanos(reporttest.KilledAt + 5200*bundletest.Millisecond)
		s.Fault.EndedBeforeUnixNanos = s.Nanos(reporttest.KilledAt + 5300*bundletest.Millisecond)
	}
	judge(t, []expectation{
		{
			name: "of the leader", change: partition,
			check: func(t *testing.T, r *report.Report) {
				f := r.Faults[0]
				bundletest.Near(t, "outage", *f.OutageMicros, 3*bundletest.Second, 100*bundletest.Millisecond)
				bundletest.Near(t, "recovered in", *f.RecoveryMicros, 2800*bundletest.Millisecond, 10*bundletest.Millisecond)
				if f.OutageCensored || *f.Outages != 1 || f.LeaderAfter != "m-2" || *f.DurationMicros != 5*bundletest.Second {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name:    "whose end nobody saw",
			change:  func(s *reporttest.Situation) { partition(s); s.Fault.EndedBeforeUnixNanos = 0 },
			reasons: []string{report.FaultEndUnknown},
		},
		{
			name:    "which a pod escaped",
			change:  func(s *reporttest.Situation) { partition(s); s.Fault.Reason = bundle.FaultPodReplaced },
			reasons: []string{report.FaultPodReplaced},
		},
		{
			name: "that was healed five seconds too late",
			change: func(s *reporttest.Situation) {
				partition(s)
				s.Fault.EndedAfterUnixNanos = s.Nanos(reporttest.KilledAt + 10_200*bundletest.Millisecond)
				s.Fault.EndedBeforeUnixNanos = s.Nanos(reporttest.KilledAt + 10_300*bundletest.Millisecond)
			},
			reasons: []string{report.FaultDurationMissed}, says: "was to last for 5s, and it lasted for 10s at least",
		},
		{
			name: "that nobody noticed",
			change: func(s *reporttest.Situation) {
				partition(s)
				s.Answers(bundletest.Healthy)
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			reasons: []string{report.FaultIneffective}, says: "neither an operation nor the members",
		},
	})
}
