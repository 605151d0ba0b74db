package judge_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestFaultsAreJudged(t *testing.T) {
	judge(t, []expectation{
		{
			name:    "the controller wrote nothing of the fault",
			change:  func(s *reporttest.Situation) { s.Fault = nil },
			reasons: []string{report.FaultNotInjected},
		},
		{
			name: "the fault was asked for and not seen",
			change: func(s *reporttest.Situation) {
				s.Fault.InjectedAfterUnixNanos, s.Fault.InjectedBeforeUnixNanos, s.Fault.Error = 0, 0, "no pod matched"
			},
			reasons: []string{report.FaultNotInjected}, says: "no pod matched",
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; f.InjectedAt != nil || f.OutageMicros != nil || f.RequestedAt == nil {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "injected after the measurement's end",
			change: func(s *reporttest.Situation) {
				s.Fault.InjectedAfterUnixNanos, s.Fault.InjectedBeforeUnixNanos = s.Nanos(23*bundletest.Second), s.Nanos(24*bundletest.Second)
			},
			reasons: []string{report.FaultNotInjected}, says: "after the end",
		},
		{
			name: "injected before the measurement's end, or after it, and no operation shows when",
			change: func(s *reporttest.Situation) {
				s.Answers(bundletest.Healthy)
				s.Fault.InjectedAfterUnixNanos, s.Fault.InjectedBeforeUnixNanos = s.Nanos(22*bundletest.Second-100*bundletest.Millisecond), s.Nanos(23*bundletest.Second)
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(23*bundletest.Second+100*bundletest.Millisecond, 24*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("", 4, false))
				s.Observe(24*bundletest.Second, 32*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("m-2", 5, true))
			},
			reasons: []string{report.FaultNotInjected}, says: "may have been injected after the end",
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || !f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "neither leader nor term changed",
			change: func(s *reporttest.Situation) {
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+200*bundletest.Millisecond, reporttest.KilledAt+bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("", 4, false))
			},
			reasons: []string{report.FaultIneffective}, says: "m-1",
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; f.Effective || f.EffectiveAt == nil || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the same leader in the same term, where nobody else can lead: effective",
			change: func(s *reporttest.Situation) {
				s.Plan.Store.Consensus = false
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+200*bundletest.Millisecond, reporttest.KilledAt+bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("", 4, false))
			},
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; !f.Effective || f.LeaderBefore != "m-1" || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a new leader, and its term a moment later",
			change: func(s *reporttest.Situation) {
				s.Observe(reporttest.KilledAt+2930*bundletest.Millisecond, reporttest.KilledAt+4*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-2", 4, false))
			},
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; f.LeaderAfter != "m-2" || f.TermBefore != 4 || f.TermAfter != 5 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a new leader, and another one before its term was told: none is made up",
			change: func(s *reporttest.Situation) {
				s.Observe(reporttest.KilledAt+2930*bundletest.Millisecond, reporttest.KilledAt+4*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-2", 4, false))
				s.Observe(reporttest.KilledAt+4*bundletest.Second, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-0", 5, true))
			},
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; f.LeaderAfter != "m-2" || f.TermAfter != 4 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the same leader in a new term: effective",
			change: func(s *reporttest.Situation) {
				s.Observe(reporttest.KilledAt+2930*bundletest.Millisecond, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 5, true))
			},
		},
		{
			name: "a follower was killed and nobody noticed",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Healthy)
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			reasons: []string{report.FaultIneffective}, says: "neither an operation nor the members",
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || f.DownAt != nil || f.LimitedByClient {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a follower was killed and nobody noticed; later a member is away for a moment",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Healthy)
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+12*bundletest.Second, reporttest.KilledAt+13*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, false))
			},
			reasons: []string{report.FaultIneffective}, says: "neither an operation nor the members",
		},
		{
			name: "a follower was killed and nobody noticed; later an operation fails",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(func(at int64) bundletest.Answer {
					if at >= reporttest.KilledAt+11*bundletest.Second && at < reporttest.KilledAt+11*bundletest.Second+10*bundletest.Millisecond {
						return bundletest.Answer{Failed: true, Took: bundletest.Millisecond}
					}
					return bundletest.Healthy(at)
				})
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			reasons: []string{report.FaultIneffective}, says: "neither an operation nor the members",
		},
		{
			name: "injected before the measurement's end, or after it, and the members show that it was before",
			change: func(s *reporttest.Situation) {
				s.Answers(bundletest.Healthy)
				s.Fault.InjectedAfterUnixNanos, s.Fault.InjectedBeforeUnixNanos = s.Nanos(20*bundletest.Second), s.Nanos(25*bundletest.Second)
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(20*bundletest.Second+100*bundletest.Millisecond, 21*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("", 4, false))
				s.Observe(21*bundletest.Second, 32*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("m-2", 5, true))
			},
			check: func(t *testing.T, r *report.Report) {
				f := r.Faults[0]
				if *f.OutageMicros != 0 || f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
				bundletest.Near(t, "healed", f.HealedAt.SinceStartMicros, 19*bundletest.Second, 1)
			},
		},
		{
			name: "another member is away for a moment while the fault is being injected",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Healthy)
				blip := bundletest.TopologyLine("m-1", 4, true)
				blip.Steady, blip.Members[0].Healthy = false, false
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+20*bundletest.Millisecond, reporttest.KilledAt+40*bundletest.Millisecond, 20*bundletest.Millisecond, blip)
				s.Observe(reporttest.KilledAt+40*bundletest.Millisecond, reporttest.KilledAt+60*bundletest.Millisecond, 20*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+250*bundletest.Millisecond, reporttest.KilledAt+2*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, false))
			},
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; f.HealedAt != nil {
					bundletest.Near(t, "healed", f.HealedAt.SinceStartMicros, 10*bundletest.Second, 1)
				} else {
					t.Error("never healed")
				}
			},
		},
		{
			name: "a follower was killed and only the observer noticed",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Healthy)
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+150*bundletest.Millisecond, reporttest.KilledAt+2*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, false))
			},
			check: func(t *testing.T, r *report.Report) {
				f := r.Faults[0]
				if *f.OutageMicros != 0 || !f.Effective || *f.EffectiveBy != report.ByTopology || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
				bundletest.Near(t, "effective", f.EffectiveAt.SinceStartMicros, 8*bundletest.Second+150*bundletest.Millisecond, 1)
				bundletest.Near(t, "healed", f.HealedAt.SinceStartMicros, 10*bundletest.Second, 1)
			},
		},
		{
			name: "a follower was killed and only the observer noticed; an operation is slow eleven seconds later",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Stall(reporttest.KilledAt+11*bundletest.Second, reporttest.KilledAt+11*bundletest.Second+400*bundletest.Millisecond))
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+150*bundletest.Millisecond, reporttest.KilledAt+2*bundletest.Second, 250*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, false))
			},
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || f.OutageCensored || f.DownAt != nil || !f.Effective {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a kill that did nothing, while a member is still away from the one before",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Healthy)
				s.Plan.Faults = append(s.Plan.Faults, s.Plan.Faults[0])
				s.Plan.Faults[1].Name, s.Plan.Faults[1].AtMillis = "again", 10_000
				without := bundletest.TopologyLine("m-1", 4, true)
				without.Steady, without.Members[2].Healthy = false, false
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
				s.Observe(reporttest.KilledAt+150*bundletest.Millisecond, reporttest.KilledAt+3*bundletest.Second, 250*bundletest.Millisecond, without)
			},
			files: func(f bundletest.Files) {
				var again bundle.FaultLine
				if err := json.Unmarshal(f[bundle.FaultsFile].Data, &again); err != nil {
					panic(err)
				}
				again.Name, again.Target = "again", "m-0"
				again.InjectedAfterUnixNanos += 2 * instant.NanosPerSecond
				again.InjectedBeforeUnixNanos += 2 * instant.NanosPerSecond
				f.Put(bundle.FaultsFile, append(f[bundle.FaultsFile].Data, bundletest.Line(again)...))
			},
			reasons: []string{report.FaultIneffective}, says: `"again"`,
			check: func(t *testing.T, r *report.Report) {
				if !r.Faults[0].Effective || r.Faults[1].Effective || r.Faults[1].EffectiveAt != nil {
					t.Errorf("faults are %+v", r.Faults)
				}
			},
		},
		{
			name: "the target's return takes the service away a second time",
			change: func(s *reporttest.Situation) {
				s.Answers(func(at int64) bundletest.Answer {
					if at >= reporttest.KilledAt+30*bundletest.Millisecond && at < reporttest.KilledAt+530*bundletest.Millisecond || at >= reporttest.KilledAt+6*bundletest.Second && at < reporttest.KilledAt+10*bundletest.Second {
						return bundletest.Answer{Failed: true, Took: bundletest.Millisecond}
					}
					return bundletest.Healthy(at)
				})
			},
			check: func(t *testing.T, r *report.Report) {
				f := r.Faults[0]
				bundletest.Near(t, "outage", *f.OutageMicros, 4*bundletest.Second, 20*bundletest.Millisecond)
				bundletest.Near(t, "down in all", *f.DownTotalMicros, 4500*bundletest.Millisecond, 40*bundletest.Millisecond)
				if *f.Outages != 2 || f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the target isn't whole at the measurement's end: what its return does isn't known",
			change: func(s *reporttest.Situation) {
				s.Observe(reporttest.KilledAt+2930*bundletest.Millisecond, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-2", 5, false))
			},
			check: func(t *testing.T, r *report.Report) {
				f := r.Faults[0]
				bundletest.Near(t, "outage", *f.OutageMicros, 3*bundletest.Second, 100*bundletest.Millisecond)
				if !f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the service is away long after the target is whole: another cause",
			change: func(s *reporttest.Situation) {
				s.Answers(func(at int64) bundletest.Answer {
					if at >= reporttest.KilledAt+30*bundletest.Millisecond && at < reporttest.KilledAt+530*bundletest.Millisecond || at >= reporttest.KilledAt+11*bundletest.Second && at < reporttest.KilledAt+12*bundletest.Second {
						return bundletest.Answer{Failed: true, Took: bundletest.Millisecond}
					}
					return bundletest.Healthy(at)
				})
				s.Observe(reporttest.KilledAt+2*bundletest.Second, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-2", 5, true))
			},
			check: func(t *testing.T, r *report.Report) {
				f := r.Faults[0]
				bundletest.Near(t, "outage", *f.OutageMicros, 500*bundletest.Millisecond, 20*bundletest.Millisecond)
				if *f.Outages != 1 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "one operation is slow, and the target was there throughout",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(func(at int64) bundletest.Answer {
					if at >= reporttest.KilledAt+300*bundletest.Millisecond && at < reporttest.KilledAt+301*bundletest.Millisecond {
						return bundletest.Answer{Took: 130 * bundletest.Millisecond}
					}
					return bundletest.Healthy(at)
				})
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			reasons: []string{report.FaultIneffective}, says: "neither an operation nor the members",
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || f.EffectiveAt != nil {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the service is away, and the target was there throughout",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Stall(reporttest.KilledAt+300*bundletest.Millisecond, reporttest.KilledAt+800*bundletest.Millisecond))
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			reasons: []string{report.FaultIneffective}, says: "was there throughout",
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; f.Effective || f.EffectiveAt != nil {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the service is away, and nobody looked at the target",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Stall(reporttest.KilledAt+300*bundletest.Millisecond, reporttest.KilledAt+800*bundletest.Millisecond))
				without := bundletest.TopologyLine("m-1", 4, true)
				without.Members = without.Members[:2]
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, without)
			},
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; !f.Effective || *f.EffectiveBy != report.ByOperation {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "nothing tells what is overdue",
			change: func(s *reporttest.Situation) {
				s.Workload().Load.WarmupMillis, s.Workload().DurationMillis = 0, 22_000
				s.Plan.Faults[0].AtMillis = 0
				s.Fault.InjectedAfterUnixNanos, s.Fault.InjectedBeforeUnixNanos = s.Nanos(10*bundletest.Millisecond), s.Nanos(200*bundletest.Millisecond)
				s.Answers(bundletest.Swallow(30*bundletest.Millisecond, 3030*bundletest.Millisecond, 2*bundletest.Second))
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-2", 5, true))
				s.Observe(-3*bundletest.Second, 100*bundletest.Millisecond, 100*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			reasons: []string{report.OverdueUnknown}, says: "warm-up",
		},
		{
			name: "a follower was killed and only another process shows it",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(bundletest.Healthy)
				another := bundletest.TopologyLine("m-1", 4, true)
				another.Members[2].Process = 8
				before := bundletest.TopologyLine("m-1", 4, true)
				before.Members[2].Process = 7
				s.Observe(0, reporttest.KilledAt+150*bundletest.Millisecond, 500*bundletest.Millisecond, before)
				s.Observe(reporttest.KilledAt+150*bundletest.Millisecond, 32*bundletest.Second, 500*bundletest.Millisecond, another)
			},
			check: func(t *testing.T, r *report.Report) {
				f := r.Faults[0]
				if !f.Effective || f.EffectiveBy == nil || *f.EffectiveBy != report.ByTopology {
					t.Fatalf("fault is %+v", f)
				}
				bundletest.Near(t, "effective", f.EffectiveAt.SinceStartMicros, 8*bundletest.Second+150*bundletest.Millisecond, 1)
				bundletest.Near(t, "healed", f.HealedAt.SinceStartMicros, 8*bundletest.Second+150*bundletest.Millisecond, 1)
			},
		},
		{
			name: "a follower was killed and reads of absent records went on: no sign of it",
			change: func(s *reporttest.Situation) {
				s.Follower()
				s.Answers(func(int64) bundletest.Answer { return bundletest.Answer{Absent: true, Took: bundletest.Millisecond} })
				s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			reasons: []string{report.FaultIneffective}, says: "neither an operation nor the members",
		},
		{
			name: "operations suffer before the observer looks: an old steady line doesn't heal",
			change: func(s *reporttest.Situation) {
				s.Observe(reporttest.KilledAt+60*bundletest.Millisecond, reporttest.KilledAt+61*bundletest.Millisecond, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
			},
			check: func(t *testing.T, r *report.Report) {
				bundletest.Near(t, "healed", r.Faults[0].HealedAt.SinceStartMicros, 16*bundletest.Second, 1)
			},
		},
		{
			name: "the controller had no fresh sample: the observer's last one counts",
			change: func(s *reporttest.Situation) {
				s.Fault.LeaderBefore, s.Fault.TermBefore = "", 0
			},
			check: func(t *testing.T, r *report.Report) {
				if f := r.Faults[0]; f.LeaderBefore != "m-1" || f.TermBefore != 4 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
	})
}

func TestTheObserverIsJudged(t *testing.T) {
	judge(t, []expectation{
		{
			name: "silent just before the injection",
			change: func(s *reporttest.Situation) {
				s.Silence(reporttest.KilledAt-1900*bundletest.Millisecond, reporttest.KilledAt-400*bundletest.Millisecond)
			},
			reasons: []string{report.TopologyGap}, says: "kill",
		},
		{
			name: "silent during the recovery",
			change: func(s *reporttest.Situation) {
				s.Silence(reporttest.KilledAt+4*bundletest.Second, reporttest.KilledAt+5500*bundletest.Millisecond)
			},
			reasons: []string{report.TopologyGap},
		},
		{
			name: "silent at another time",
			change: func(s *reporttest.Situation) {
				s.Silence(2*bundletest.Second, 7*bundletest.Second)
				s.Silence(reporttest.KilledAt+9*bundletest.Second, 32*bundletest.Second)
			},
		},
		{
			name: "no observer",
			files: func(f bundletest.Files) {
				delete(f, bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(900)}.File(bundle.Jsonl))
			},
			reasons: []string{report.FaultIneffective, report.TopologyGap},
		},
		{
			name: "the observer saw more members than there can be",
			change: func(s *reporttest.Situation) {
				s.Topology[len(s.Topology)-1].Members = make([]stores.MemberState, report.MaxMembers+1)
			},
			reasons: []string{report.FileCorrupt}, says: "17 members",
		},
		{
			name: "the observer's names are no names",
			change: func(s *reporttest.Situation) {
				s.Topology[len(s.Topology)-1].Leader = strings.Repeat("m", report.MaxName+1)
			},
			reasons: []string{report.FileCorrupt}, says: "a name of 260 bytes",
		},
		{
			name: "the observer was replaced in time, its last line cut off",
			files: func(f bundletest.Files) {
				first := bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(900)}.File(bundle.Jsonl)
				second := bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(800)}.File(bundle.Jsonl)
				data := f[first].Data
				cut := strings.Index(string(data[len(data)/2:]), "\n") + len(data)/2 + 1
				f.Put(first, append(slices.Clone(data[:cut]), `{"atUnixNanos":`...))
				f.Put(second, data[cut:])
			},
		},
	})
}
