// Package reporttest has runs whose bundles are written to memory, and their reports. Tests of the report use it.
package reporttest

import (
	"encoding/json"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

// A Situation is a run whose bundle is written to memory as the pods would write it: one
// workload "a" of 2 s warm-up, 20 s and 5 s cool-down, whose leader is killed after 8 s.
// Tests change its parts before build, or its files after.
type Situation struct {
	Plan       plan.Plan
	Scene      bundletest.Scene
	startNanos int64
	Self       func(second int64, s *bundle.SelfSecond) // from the workload's start
	First      func(second int64, s *bundle.SelfSecond) // of the first worker alone
	Lags       func(second int64) (sends, micros int64) // beside those of the usual 300 µs
	Paced      func(second, due int64) int64            // how many of those that were due a worker intended
	Skewed     int                                      // steps of the arrivals
	Clock      bundle.Clock
	Finish     bundle.Finish
	Fault      *bundle.FaultLine
	Topology   []bundle.TopologyLine
	Errors     []bundle.ErrorSeen
	scripted   bool // the store's answers are not the usual ones
}

// Answers gives the store another script.
func (s *Situation) Answers(script func(int64) bundletest.Answer) {
	s.Scene.Answer, s.scripted = script, true
}

const etcdValues = `{"image":{"repository":"quay.io/coreos/etcd","tag":"v3.7.3"},"nodes":3,"settings":{"heartbeat-interval":100}}`

// KilledAt is when the leader is killed, from the workload's start.
const KilledAt = 10 * bundletest.Second

// NewSituation is a valid run.
func NewSituation() *Situation {
	s := &Situation{
		startNanos: 1_800_000_000 * instant.NanosPerSecond,
		Scene:      bundletest.Scene{Rate: 1000, Poisson: true, Duration: 27 * bundletest.Second, Answer: bundletest.Swallow(KilledAt+30*bundletest.Millisecond, KilledAt+3030*bundletest.Millisecond, 2*bundletest.Second)},
		Clock:      bundle.Clock{OffsetNanos: 5_000_000, BoundNanos: 100_000},
	}
	s.Plan = plan.Plan{
		Format: plan.Format,
		Run:    plan.Run{Namespace: "bench", Name: "leader-kill", UID: "11111111-1111-4111-8111-111111111111", ID: "leader-kill-1a2b3c"},
		Seed:   42,
		Store: plan.Store{
			Name: "etcd", Driver: "etcd", Mode: "linearizable", Promise: string(stores.PromiseLinearizable), Version: "v3.7.3", Chart: "etcd",
			Values: json.RawMessage(`{}`), EffectiveValues: json.RawMessage(etcdValues), Container: "etcd", Consensus: true, Persistent: true, WholeRecord: true,
			Members: []plan.Member{{Index: 0, Name: "m-0"}, {Index: 1, Name: "m-1"}, {Index: 2, Name: "m-2"}},
		},
		Workloads: []plan.Workload{{
			Name: "a", Preset: "A", Properties: map[string]string{"fieldcount": "10"},
			Records: 1000, LoadFirst: true, DurationMillis: 20_000,
			Load: plan.Load{Workers: 2, Threads: 8, Rate: 1000, Arrivals: plan.ArrivalsPoisson, MaxInFlight: 3000,
				WarmupMillis: 2_000, CooldownMillis: 5_000, OperationTimeoutMillis: 2_000},
		}},
		Faults: []plan.Fault{{Name: "kill", Action: "ContainerKill", Workload: "a", Target: plan.Target{Role: plan.RoleLeader}, AtMillis: 8_000, DeadlineMillis: 30_000}},
	}
	s.Fault = &bundle.FaultLine{
		Name: "kill", Workload: "a", Action: "ContainerKill", Target: "m-1", Role: plan.RoleLeader,
		RequestedUnixNanos:      s.Nanos(KilledAt),
		InjectedAfterUnixNanos:  s.Nanos(KilledAt + 10*bundletest.Millisecond),
		InjectedBeforeUnixNanos: s.Nanos(KilledAt + 200*bundletest.Millisecond),
		LeaderBefore:            "m-1", TermBefore: 4,
	}
	s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-1", 4, true))
	s.Observe(KilledAt+130*bundletest.Millisecond, KilledAt+2930*bundletest.Millisecond, 250*bundletest.Millisecond, bundletest.TopologyLine("", 4, false))
	s.Observe(KilledAt+2930*bundletest.Millisecond, KilledAt+8*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-2", 5, false))
	s.Observe(KilledAt+8*bundletest.Second, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("m-2", 5, true))
	return s
}

// Nanos is Unix time, of microseconds from the workload's start.
func (s *Situation) Nanos(fromStart int64) int64 {
	return s.startNanos + fromStart*instant.NanosPerMicro
}

// Shift moves everything in time.
func (s *Situation) Shift(nanos int64) {
	s.startNanos += nanos
	s.Fault.RequestedUnixNanos += nanos
	s.Fault.InjectedAfterUnixNanos += nanos
	s.Fault.InjectedBeforeUnixNanos += nanos
	for i := range s.Topology {
		s.Topology[i].AtUnixNanos += nanos
	}
}

// Workload is the only one.
func (s *Situation) Workload() *plan.Workload { return &s.Plan.Workloads[0] }

// Observe replaces what the observer saw in [from, to).
func (s *Situation) Observe(from, to, every int64, line bundle.TopologyLine) {
	s.Silence(from, to)
	for at := from; at < to; at += every {
		line.AtUnixNanos = s.Nanos(at)
		s.Topology = append(s.Topology, line)
	}
}

// Silence removes what the observer saw in [from, to).
func (s *Situation) Silence(from, to int64) {
	s.Topology = slices.DeleteFunc(s.Topology, func(l bundle.TopologyLine) bool {
		return l.AtUnixNanos >= s.Nanos(from) && l.AtUnixNanos < s.Nanos(to)
	})
}

// Follower makes the fault hit a follower.
func (s *Situation) Follower() {
	s.Plan.Faults[0].Target.Role = plan.RoleFollower
	s.Fault.Target, s.Fault.Role = "m-2", plan.RoleFollower
}
