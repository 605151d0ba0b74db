// Package statetest has situations of runs, for the tests of what observes, decides and acts.
package statetest

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// OwnChart is a run of a chart that it brought, with its release installed.
func OwnChart(change func(*state.Observed)) Situation {
	return func(o *state.Observed) {
		Accepted(o)
		o.Run.Spec.Store.Chart = &v1alpha1.ChartSpec{}
		o.Plan.Store.OwnChart = &plan.OwnChart{}
		o.Store = state.Store{Release: state.ReleaseDeployed, ReadyMembers: len(o.Plan.Store.Members), ObserverReady: true}
		change(o)
	}
}

// Must ends a test whose preparation failed.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The situations build on each other: each helper brings a run one step further.

// Epoch is when a situation is observed.
var Epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// Situation brings a run to somewhere.
type Situation func(*state.Observed)

// Given is a new run, to which the changes were made.
func Given(changes ...Situation) *state.Observed {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "bench", Name: "run", UID: "11111111-2222-3333-4444-555555555555"}}
	newest := true
	o := &state.Observed{Asked: state.Answers{Newest: &newest, Faults: map[string]faults.State{}, Clocks: &state.ClockComparison{}}, Now: Epoch, ServerNow: Epoch, Run: run, Jobs: map[string]state.Job{}, Faults: map[string]faults.State{}}
	for _, change := range changes {
		change(o)
	}
	return o
}

func Planned(o *state.Observed) {
	o.PlanExists, o.Run.Status.PlanSHA256 = true, "5e"
	o.Plan = &plan.Plan{
		Format: plan.Format, Run: plan.Run{Namespace: "bench", Name: "run", UID: string(o.Run.UID), ID: names.RunID(o.Run)},
		Store: plan.Store{Name: "etcd", Members: []plan.Member{{Index: 0, Name: "m-0"}, {Index: 1, Name: "m-1"}, {Index: 2, Name: "m-2"}}},
		Workloads: []plan.Workload{{
			Name: "a", Records: 1000, LoadFirst: true, DurationMillis: 60_000,
			Load: plan.Load{Workers: 2, WarmupMillis: 10_000, OperationTimeoutMillis: 2000},
		}},
	}
}

// Endpoints makes it a run on a cluster that is there already, which has no release.
func Endpoints(o *state.Observed) {
	for _, member := range o.Plan.Store.Members {
		o.Run.Spec.Store.Endpoints = append(o.Run.Spec.Store.Endpoints, v1alpha1.EndpointSpec{Address: member.Name + ":1"})
	}
	o.Store = state.Store{}
}

func Observing(o *state.Observed) { o.Store.ObserverMade = true }

func NoFiles(o *state.Observed) { o.FilesLost = true }

func WithSecondWorkload(o *state.Observed) {
	o.Plan.Workloads = append(o.Plan.Workloads, plan.Workload{
		Name: "b", Records: 1000, Reset: true, LoadFirst: true, DurationMillis: 60_000, Load: plan.Load{Workers: 1},
	})
}

// AfterFaults is a second workload's turn, after one whose faults are healed.
func AfterFaults(o *state.Observed) {
	Deployed(o)
	WithSecondWorkload(o)
	WithFault(o)
	WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)(o)
	FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})(o)
}

// Sampled is what the observer says in this pass.
func Sampled(line *bundle.TopologyLine) Situation {
	return func(o *state.Observed) { o.Asked.Sample = &state.MemberSample{Line: line} }
}

func Unwell(o *state.Observed) { Sampled(UnwellLine())(o) }

// Unasked is a pass that has asked nothing yet.
func Unasked(o *state.Observed) { o.Asked = state.Answers{} }

func ReadTooEarly(o *state.Observed) { *o.Asked.Newest = false }

// WholeIs what is known of the store before the second workload, for so long.
func WholeIs(noted metav1.ConditionStatus, since time.Duration) Situation {
	return func(o *state.Observed) {
		meta.SetStatusCondition(&workloadOf(o.Run, "b").Conditions, metav1.Condition{
			Type: v1alpha1.ConditionStoreWhole, Status: noted, Reason: "Recovering", Message: "waiting until the store is whole again after the faults of workload a: m-1 is not well",
			LastTransitionTime: metav1.NewTime(Epoch.Add(-since)),
		})
	}
}

func WithFault(o *state.Observed) {
	o.Plan.Faults = []plan.Fault{{
		Name: "kill", Action: "ContainerKill", Workload: "a", Target: plan.Target{Role: plan.RoleLeader},
		AtMillis: 30_000, DeadlineMillis: 30_000,
	}}
}

// WithSecondFault is due 30 s after the first.
func WithSecondFault(o *state.Observed) {
	second := o.Plan.Faults[0]
	second.Name, second.AtMillis = "again", 60_000
	o.Plan.Faults = append(o.Plan.Faults, second)
}

func Condition(kind string, status metav1.ConditionStatus, reason string, age time.Duration) Situation {
	return func(o *state.Observed) {
		meta.SetStatusCondition(&o.Run.Status.Conditions, metav1.Condition{
			Type: kind, Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(Epoch.Add(-age)),
		})
	}
}

func Accepted(o *state.Observed) {
	Planned(o)
	o.Slot.Held = true
	Condition(v1alpha1.ConditionAccepted, "True", "Admitted", time.Minute)(o)
}

func Deployed(o *state.Observed) {
	Accepted(o)
	o.Store = state.Store{Release: state.ReleaseUnread, ReadyMembers: 3, ObserverReady: true}
	Condition(v1alpha1.ConditionStoreReady, "True", "Steady", 30*time.Second)(o)
}

func WorkloadAt(name string, kinds ...string) Situation {
	return func(o *state.Observed) {
		for _, kind := range kinds {
			meta.SetStatusCondition(&workloadOf(o.Run, name).Conditions, metav1.Condition{
				Type: kind, Status: "True", Reason: "Test", LastTransitionTime: metav1.NewTime(Epoch.Add(-10 * time.Second)),
			})
		}
	}
}

func Job(name string, found state.Job) Situation {
	return func(o *state.Observed) {
		found.Exists = true
		o.Jobs[names.RunID(o.Run)+"-"+name] = found
	}
}

// Measuring began so long ago, with workers at work.
func Measuring(ago time.Duration) Situation {
	return func(o *state.Observed) {
		Deployed(o)
		WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed)(o)
		Job("measure-a", state.Job{ReadyPods: 2})(o)
		workloadOf(o.Run, "a").StartedAtUnixNanos = Epoch.Add(-ago).UnixNano()
	}
}

func FaultIs(noted v1alpha1.FaultStatus, object faults.State) Situation {
	return func(o *state.Observed) {
		noted.Name = "kill"
		*faultOf(o.Run, "kill") = noted
		if object.Exists && len(object.Sides.Targets) == 0 && noted.Target != "" {
			object.Sides = faults.Sides{Targets: []string{noted.Target}, Peers: noted.Peers}
		}
		o.Faults["kill"] = object
	}
}

func Deleting(o *state.Observed) { DeletedAgo(time.Second)(o) }

// DeletedAgo is what the controller saw. The stamp is of the API server's clock, an hour away.
func DeletedAgo(ago time.Duration) Situation {
	return func(o *state.Observed) {
		o.Memory.DeletedSince = Epoch.Add(-ago)
		at := metav1.NewTime(o.Memory.DeletedSince.Add(time.Hour))
		o.Run.DeletionTimestamp = &at
	}
}

// TriedLoad says that the loading Job could not be created, since so long.
func TriedLoad(ago time.Duration) Situation {
	return func(o *state.Observed) {
		meta.SetStatusCondition(&workloadOf(o.Run, "a").Conditions, metav1.Condition{
			Type: v1alpha1.ConditionLoaded, Status: "Unknown", Reason: "JobNotCreated", LastTransitionTime: metav1.NewTime(Epoch.Add(-ago)),
		})
	}
}

func Left(names ...string) Situation { return func(o *state.Observed) { o.Left = names } }

// LeftBesides is beside a store.
func LeftBesides(name string) Situation {
	return func(o *state.Observed) { o.Left, o.LeftBesides = []string{"Pod m-0", name}, []string{name} }
}

func Kept(o *state.Observed) { o.Run.Spec.Retain = v1alpha1.RetainAlways }

func NotHealed(o *state.Observed) {
	meta.SetStatusCondition(&workloadOf(o.Run, "a").Conditions, metav1.Condition{
		Type: v1alpha1.ConditionFaultsHealed, Status: "False", Reason: "NotHealed", LastTransitionTime: metav1.NewTime(Epoch),
	})
}

func Release(found state.Release) Situation {
	return func(o *state.Observed) { o.Store.Release = found }
}

func Reported(o *state.Observed) {
	Deployed(o)
	WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)(o)
	Condition(v1alpha1.ConditionReported, "True", "Stored", time.Second)(o)
}

func NoPlan(o *state.Observed) { o.Plan, o.PlanExists = nil, false }

// BrokenPlan is a ConfigMap that somebody changed.
func BrokenPlan(o *state.Observed) {
	o.Plan, o.PlanTrouble = nil, "it is not the plan that the run was admitted with"
}

func Stands(kind state.TroubleKind, pod string, since time.Duration) state.PodTrouble {
	return state.PodTrouble{Kind: kind, Words: "pod " + pod + ": why", Since: Epoch.Add(-since)}
}

// Asked are the workloads of the spec, which a status follows.
func Asked(names ...string) Situation {
	return func(o *state.Observed) {
		for _, name := range names {
			o.Run.Spec.Workloads = append(o.Run.Spec.Workloads, v1alpha1.WorkloadSpec{Name: name})
		}
	}
}

func AskedFault(o *state.Observed) { o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}} }

var UntilMeasured = []string{v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured}

func Secure(o *state.Observed) {
	o.Plan.Store.Driver, o.Plan.Store.Security, o.Plan.Store.Secret = "etcd", stores.SecurityTLS, "run-1-credentials"
}

func UnwellLine() *bundle.TopologyLine {
	return &bundle.TopologyLine{Members: []stores.MemberState{{Name: "m-0", Healthy: true}, {Name: "m-1", Error: "Unavailable: connection refused"}}}
}

// workloadOf is the workload's status, made where it isn't there.
func workloadOf(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.WorkloadStatus {
	all := &run.Status.Workloads
	at := slices.IndexFunc(*all, func(w v1alpha1.WorkloadStatus) bool { return w.Name == name })
	if at < 0 {
		*all, at = append(*all, v1alpha1.WorkloadStatus{Name: name}), len(*all)
	}
	return &(*all)[at]
}

// faultOf is the fault's status, made where it isn't there.
func faultOf(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.FaultStatus {
	all := &run.Status.Faults
	at := slices.IndexFunc(*all, func(f v1alpha1.FaultStatus) bool { return f.Name == name })
	if at < 0 {
		*all, at = append(*all, v1alpha1.FaultStatus{Name: name}), len(*all)
	}
	return &(*all)[at]
}
