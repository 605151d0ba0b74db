package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestFaultsAreJudged(t *testing.T) {
	judge(t, []verdict{
		{
			name:    "the controller wrote nothing of the fault",
			change:  func(s *situation) { s.fault = nil },
			reasons: []string{FaultNotInjected},
		},
		{
			name: "the fault was asked for and not seen",
			change: func(s *situation) {
				s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos, s.fault.Error = 0, 0, "no pod matched"
			},
			reasons: []string{FaultNotInjected}, says: "no pod matched",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.InjectedAt != nil || f.OutageMicros != nil || f.RequestedAt == nil {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "injected after the measurement's end",
			change: func(s *situation) {
				s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos = s.nanos(23*sec), s.nanos(24*sec)
			},
			reasons: []string{FaultNotInjected}, says: "after the end",
		},
		{
			name: "injected before the measurement's end, or after it, and no operation shows when",
			change: func(s *situation) {
				s.answers(healthy)
				s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos = s.nanos(22*sec-100*ms), s.nanos(23*sec)
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(23*sec+100*ms, 24*sec, 250*ms, topologyLine("", 4, false))
				s.observe(24*sec, 32*sec, 250*ms, topologyLine("m-2", 5, true))
			},
			reasons: []string{FaultNotInjected}, says: "may have been injected after the end",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || !f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "neither leader nor term changed",
			change: func(s *situation) {
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+200*ms, killedAt+sec, 500*ms, topologyLine("", 4, false))
			},
			reasons: []string{FaultIneffective}, says: "m-1",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.Effective || f.EffectiveAt == nil || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the same leader in the same term, where nobody else can lead: effective",
			change: func(s *situation) {
				s.plan.Store.Consensus = false
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+200*ms, killedAt+sec, 500*ms, topologyLine("", 4, false))
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; !f.Effective || f.LeaderBefore != "m-1" || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a new leader, and its term a moment later",
			change: func(s *situation) {
				s.observe(killedAt+2930*ms, killedAt+4*sec, 500*ms, topologyLine("m-2", 4, false))
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.LeaderAfter != "m-2" || f.TermBefore != 4 || f.TermAfter != 5 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a new leader, and another one before its term was told: none is made up",
			change: func(s *situation) {
				s.observe(killedAt+2930*ms, killedAt+4*sec, 500*ms, topologyLine("m-2", 4, false))
				s.observe(killedAt+4*sec, 32*sec, 500*ms, topologyLine("m-0", 5, true))
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.LeaderAfter != "m-2" || f.TermAfter != 4 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the same leader in a new term: effective",
			change: func(s *situation) {
				s.observe(killedAt+2930*ms, 32*sec, 500*ms, topologyLine("m-1", 5, true))
			},
		},
		{
			name: "a follower was killed and nobody noticed",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{FaultIneffective}, says: "neither an operation nor the members",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || f.DownAt != nil || f.LimitedByClient {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a follower was killed and nobody noticed; later a member is away for a moment",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+12*sec, killedAt+13*sec, 250*ms, topologyLine("m-1", 4, false))
			},
			reasons: []string{FaultIneffective}, says: "neither an operation nor the members",
		},
		{
			name: "a follower was killed and nobody noticed; later an operation fails",
			change: func(s *situation) {
				s.follower()
				s.answers(func(at int64) answer {
					if at >= killedAt+11*sec && at < killedAt+11*sec+10*ms {
						return answer{failed: true, took: ms}
					}
					return healthy(at)
				})
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{FaultIneffective}, says: "neither an operation nor the members",
		},
		{
			name: "injected before the measurement's end, or after it, and the members show that it was before",
			change: func(s *situation) {
				s.answers(healthy)
				s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos = s.nanos(20*sec), s.nanos(25*sec)
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(20*sec+100*ms, 21*sec, 250*ms, topologyLine("", 4, false))
				s.observe(21*sec, 32*sec, 250*ms, topologyLine("m-2", 5, true))
			},
			check: func(t *testing.T, r *Report) {
				f := r.Faults[0]
				if *f.OutageMicros != 0 || f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
				near(t, "healed", f.HealedAt.SinceStartMicros, 19*sec, 1)
			},
		},
		{
			name: "another member is away for a moment while the fault is being injected",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				blip := topologyLine("m-1", 4, true)
				blip.Steady, blip.Members[0].Healthy = false, false
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+20*ms, killedAt+40*ms, 20*ms, blip)
				s.observe(killedAt+40*ms, killedAt+60*ms, 20*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+250*ms, killedAt+2*sec, 250*ms, topologyLine("m-1", 4, false))
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.HealedAt != nil {
					near(t, "healed", f.HealedAt.SinceStartMicros, 10*sec, 1)
				} else {
					t.Error("never healed")
				}
			},
		},
		{
			name: "a follower was killed and only the observer noticed",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+150*ms, killedAt+2*sec, 250*ms, topologyLine("m-1", 4, false))
			},
			check: func(t *testing.T, r *Report) {
				f := r.Faults[0]
				if *f.OutageMicros != 0 || !f.Effective || *f.EffectiveBy != ByTopology || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
				near(t, "effective", f.EffectiveAt.SinceStartMicros, 8*sec+150*ms, 1)
				near(t, "healed", f.HealedAt.SinceStartMicros, 10*sec, 1)
			},
		},
		{
			name: "a follower was killed and only the observer noticed; an operation is slow eleven seconds later",
			change: func(s *situation) {
				s.follower()
				s.answers(stall(killedAt+11*sec, killedAt+11*sec+400*ms))
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+150*ms, killedAt+2*sec, 250*ms, topologyLine("m-1", 4, false))
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || f.OutageCensored || f.DownAt != nil || !f.Effective {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a kill that did nothing, while a member is still away from the one before",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				s.plan.Faults = append(s.plan.Faults, s.plan.Faults[0])
				s.plan.Faults[1].Name, s.plan.Faults[1].AtMillis = "again", 10_000
				without := topologyLine("m-1", 4, true)
				without.Steady, without.Members[2].Healthy = false, false
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+150*ms, killedAt+3*sec, 250*ms, without)
			},
			files: func(f files) {
				var again bundle.FaultLine
				if err := json.Unmarshal(f[bundle.FaultsFile].Data, &again); err != nil {
					panic(err)
				}
				again.Name, again.Target = "again", "m-0"
				again.InjectedAfterUnixNanos += 2 * second
				again.InjectedBeforeUnixNanos += 2 * second
				f.put(bundle.FaultsFile, append(f[bundle.FaultsFile].Data, line(again)...))
			},
			reasons: []string{FaultIneffective}, says: `"again"`,
			check: func(t *testing.T, r *Report) {
				if !r.Faults[0].Effective || r.Faults[1].Effective || r.Faults[1].EffectiveAt != nil {
					t.Errorf("faults are %+v", r.Faults)
				}
			},
		},
		{
			name: "the target's return takes the service away a second time",
			change: func(s *situation) {
				s.answers(func(at int64) answer {
					if at >= killedAt+30*ms && at < killedAt+530*ms || at >= killedAt+6*sec && at < killedAt+10*sec {
						return answer{failed: true, took: ms}
					}
					return healthy(at)
				})
			},
			check: func(t *testing.T, r *Report) {
				f := r.Faults[0]
				near(t, "outage", *f.OutageMicros, 4*sec, 20*ms)
				near(t, "down in all", *f.DownTotalMicros, 4500*ms, 40*ms)
				if *f.Outages != 2 || f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the target isn't whole at the measurement's end: what its return does isn't known",
			change: func(s *situation) {
				s.observe(killedAt+2930*ms, 32*sec, 500*ms, topologyLine("m-2", 5, false))
			},
			check: func(t *testing.T, r *Report) {
				f := r.Faults[0]
				near(t, "outage", *f.OutageMicros, 3*sec, 100*ms)
				if !f.OutageCensored {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the service is away long after the target is whole: another cause",
			change: func(s *situation) {
				s.answers(func(at int64) answer {
					if at >= killedAt+30*ms && at < killedAt+530*ms || at >= killedAt+11*sec && at < killedAt+12*sec {
						return answer{failed: true, took: ms}
					}
					return healthy(at)
				})
				s.observe(killedAt+2*sec, 32*sec, 500*ms, topologyLine("m-2", 5, true))
			},
			check: func(t *testing.T, r *Report) {
				f := r.Faults[0]
				near(t, "outage", *f.OutageMicros, 500*ms, 20*ms)
				if *f.Outages != 1 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "one operation is slow, and the target was there throughout",
			change: func(s *situation) {
				s.follower()
				s.answers(func(at int64) answer {
					if at >= killedAt+300*ms && at < killedAt+301*ms {
						return answer{took: 130 * ms}
					}
					return healthy(at)
				})
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{FaultIneffective}, says: "neither an operation nor the members",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || f.EffectiveAt != nil {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the service is away, and the target was there throughout",
			change: func(s *situation) {
				s.follower()
				s.answers(stall(killedAt+300*ms, killedAt+800*ms))
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{FaultIneffective}, says: "was there throughout",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.Effective || f.EffectiveAt != nil {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the service is away, and nobody looked at the target",
			change: func(s *situation) {
				s.follower()
				s.answers(stall(killedAt+300*ms, killedAt+800*ms))
				without := topologyLine("m-1", 4, true)
				without.Members = without.Members[:2]
				s.observe(0, 32*sec, 500*ms, without)
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; !f.Effective || *f.EffectiveBy != ByOperation {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "nothing tells what is overdue",
			change: func(s *situation) {
				s.workload().Load.WarmupMillis, s.workload().DurationMillis = 0, 22_000
				s.plan.Faults[0].AtMillis = 0
				s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos = s.nanos(10*ms), s.nanos(200*ms)
				s.answers(swallow(30*ms, 3030*ms, 2*sec))
				s.observe(0, 32*sec, 500*ms, topologyLine("m-2", 5, true))
				s.observe(-3*sec, 100*ms, 100*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{OverdueUnknown}, says: "warm-up",
		},
		{
			name: "a follower was killed and only another process shows it",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				another := topologyLine("m-1", 4, true)
				another.Members[2].Process = 8
				before := topologyLine("m-1", 4, true)
				before.Members[2].Process = 7
				s.observe(0, killedAt+150*ms, 500*ms, before)
				s.observe(killedAt+150*ms, 32*sec, 500*ms, another)
			},
			check: func(t *testing.T, r *Report) {
				f := r.Faults[0]
				if !f.Effective || f.EffectiveBy == nil || *f.EffectiveBy != ByTopology {
					t.Fatalf("fault is %+v", f)
				}
				near(t, "effective", f.EffectiveAt.SinceStartMicros, 8*sec+150*ms, 1)
				near(t, "healed", f.HealedAt.SinceStartMicros, 8*sec+150*ms, 1)
			},
		},
		{
			name: "a follower was killed and reads of absent records went on: no sign of it",
			change: func(s *situation) {
				s.follower()
				s.answers(func(int64) answer { return answer{absent: true, took: ms} })
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{FaultIneffective}, says: "neither an operation nor the members",
		},
		{
			name: "operations suffer before the observer looks: an old steady line doesn't heal",
			change: func(s *situation) {
				s.observe(killedAt+60*ms, killedAt+61*ms, 500*ms, topologyLine("m-1", 4, true))
			},
			check: func(t *testing.T, r *Report) {
				near(t, "healed", r.Faults[0].HealedAt.SinceStartMicros, 16*sec, 1)
			},
		},
		{
			name: "the controller had no fresh sample: the observer's last one counts",
			change: func(s *situation) {
				s.fault.LeaderBefore, s.fault.TermBefore = "", 0
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.LeaderBefore != "m-1" || f.TermBefore != 4 {
					t.Errorf("fault is %+v", f)
				}
			},
		},
	})
}

func TestTheObserverIsJudged(t *testing.T) {
	judge(t, []verdict{
		{
			name:    "silent just before the injection",
			change:  func(s *situation) { s.silence(killedAt-1900*ms, killedAt-400*ms) },
			reasons: []string{TopologyGap}, says: "kill",
		},
		{
			name:    "silent during the recovery",
			change:  func(s *situation) { s.silence(killedAt+4*sec, killedAt+5500*ms) },
			reasons: []string{TopologyGap},
		},
		{
			name:   "silent at another time",
			change: func(s *situation) { s.silence(2*sec, 7*sec); s.silence(killedAt+9*sec, 32*sec) },
		},
		{
			name: "no observer",
			files: func(f files) {
				delete(f, bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(900)}.File(bundle.Jsonl))
			},
			reasons: []string{FaultIneffective, TopologyGap},
		},
		{
			name:    "the observer saw more members than there can be",
			change:  func(s *situation) { s.topology[len(s.topology)-1].Members = make([]stores.MemberState, maxMembers+1) },
			reasons: []string{FileCorrupt}, says: "17 members",
		},
		{
			name: "the observer's names are no names",
			change: func(s *situation) {
				s.topology[len(s.topology)-1].Leader = strings.Repeat("m", maxName+1)
			},
			reasons: []string{FileCorrupt}, says: "a name of 260 bytes",
		},
		{
			name: "the observer was replaced in time, its last line cut off",
			files: func(f files) {
				first := bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(900)}.File(bundle.Jsonl)
				second := bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(800)}.File(bundle.Jsonl)
				data := f[first].Data
				cut := strings.Index(string(data[len(data)/2:]), "\n") + len(data)/2 + 1
				f.put(first, append(slices.Clone(data[:cut]), `{"atUnixNanos":`...))
				f.put(second, data[cut:])
			},
		},
	})
}

// follower makes the fault hit a follower.
func (s *situation) follower() {
	s.plan.Faults[0].Target.Role = plan.RoleFollower
	s.fault.Target, s.fault.Role = "m-2", plan.RoleFollower
}
