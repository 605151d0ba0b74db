package controllers

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// The situations build on each other: each helper brings a run one step further.

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

type situation func(*observed)

func given(changes ...situation) *observed {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "bench", Name: "run", UID: "11111111-2222-3333-4444-555555555555"}}
	newest := true
	o := &observed{Asked: answers{Newest: &newest, Faults: map[string]faults.State{}, Clocks: &clockComparison{}}, Now: epoch, ServerNow: epoch, Run: run, Jobs: map[string]jobState{}, Faults: map[string]faults.State{}}
	for _, change := range changes {
		change(o)
	}
	return o
}

func planned(o *observed) {
	o.PlanExists, o.Run.Status.PlanSHA256 = true, "5e"
	o.Plan = &plan.Plan{
		Format: plan.Format, Run: plan.Run{Namespace: "bench", Name: "run", UID: string(o.Run.UID), ID: runID(o.Run)},
		Store: plan.Store{Name: "etcd", Members: []plan.Member{{Index: 0, Name: "m-0"}, {Index: 1, Name: "m-1"}, {Index: 2, Name: "m-2"}}},
		Workloads: []plan.Workload{{
			Name: "a", Records: 1000, LoadFirst: true, DurationMillis: 60_000,
			Load: plan.Load{Workers: 2, WarmupMillis: 10_000, OperationTimeoutMillis: 2000},
		}},
	}
}

// endpoints makes it a run on a cluster that is there already, which has no release.
func endpoints(o *observed) {
	for _, member := range o.Plan.Store.Members {
		o.Run.Spec.Store.Endpoints = append(o.Run.Spec.Store.Endpoints, v1alpha1.EndpointSpec{Address: member.Name + ":1"})
	}
	o.Store = storeState{}
}

func observing(o *observed) { o.Store.ObserverMade = true }

func noFiles(o *observed) { o.FilesLost = true }

func withSecondWorkload(o *observed) {
	o.Plan.Workloads = append(o.Plan.Workloads, plan.Workload{
		Name: "b", Records: 1000, Reset: true, LoadFirst: true, DurationMillis: 60_000, Load: plan.Load{Workers: 1},
	})
}

// afterFaults is a second workload's turn, after one whose faults are healed.
func afterFaults(o *observed) {
	deployed(o)
	withSecondWorkload(o)
	withFault(o)
	workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)(o)
	faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})(o)
}

// sampled is what the observer says in this pass.
func sampled(line *bundle.TopologyLine) situation {
	return func(o *observed) { o.Asked.Sample = &memberSample{Line: line} }
}

func unwell(o *observed) { sampled(unwellLine())(o) }

// unasked is a pass that has asked nothing yet.
func unasked(o *observed) { o.Asked = answers{} }

func readTooEarly(o *observed) { *o.Asked.Newest = false }

// wholeIs what is known of the store before the second workload, for so long.
func wholeIs(status metav1.ConditionStatus, since time.Duration) situation {
	return func(o *observed) {
		meta.SetStatusCondition(&ensureWorkload(o.Run, "b").Conditions, metav1.Condition{
			Type: v1alpha1.ConditionStoreWhole, Status: status, Reason: reasonRecovering, Message: recovering("a") + ": m-1 is not well",
			LastTransitionTime: metav1.NewTime(epoch.Add(-since)),
		})
	}
}

func withFault(o *observed) {
	o.Plan.Faults = []plan.Fault{{
		Name: "kill", Action: "ContainerKill", Workload: "a", Target: plan.Target{Role: plan.RoleLeader},
		AtMillis: 30_000, DeadlineMillis: 30_000,
	}}
}

// withSecondFault is due 30 s after the first.
func withSecondFault(o *observed) {
	second := o.Plan.Faults[0]
	second.Name, second.AtMillis = "again", 60_000
	o.Plan.Faults = append(o.Plan.Faults, second)
}

func condition(kind string, status metav1.ConditionStatus, reason string, age time.Duration) situation {
	return func(o *observed) {
		meta.SetStatusCondition(&o.Run.Status.Conditions, metav1.Condition{
			Type: kind, Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(epoch.Add(-age)),
		})
	}
}

func accepted(o *observed) {
	planned(o)
	o.Slot.Held = true
	condition(v1alpha1.ConditionAccepted, "True", "Admitted", time.Minute)(o)
}

func deployed(o *observed) {
	accepted(o)
	o.Store = storeState{Release: releaseUnread, ReadyMembers: 3, ObserverReady: true}
	condition(v1alpha1.ConditionStoreReady, "True", "Steady", 30*time.Second)(o)
}

func workloadAt(name string, kinds ...string) situation {
	return func(o *observed) {
		for _, kind := range kinds {
			meta.SetStatusCondition(&ensureWorkload(o.Run, name).Conditions, metav1.Condition{
				Type: kind, Status: "True", Reason: "Test", LastTransitionTime: metav1.NewTime(epoch.Add(-10 * time.Second)),
			})
		}
	}
}

func job(name string, state jobState) situation {
	return func(o *observed) {
		state.Exists = true
		o.Jobs[runID(o.Run)+"-"+name] = state
	}
}

// measuring began so long ago, with workers at work.
func measuring(ago time.Duration) situation {
	return func(o *observed) {
		deployed(o)
		workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed)(o)
		job("measure-a", jobState{ReadyPods: 2})(o)
		ensureWorkload(o.Run, "a").StartedAtUnixNanos = epoch.Add(-ago).UnixNano()
	}
}

func faultIs(status v1alpha1.FaultStatus, object faults.State) situation {
	return func(o *observed) {
		status.Name = "kill"
		*ensureFault(o.Run, "kill") = status
		if object.Exists && object.Pod == "" {
			object.Pod = status.Target
		}
		o.Faults["kill"] = object
	}
}

func deleting(o *observed) { deletedAgo(time.Second)(o) }

// deletedAgo is what the controller saw. The stamp is of the API server's clock, an hour away.
func deletedAgo(ago time.Duration) situation {
	return func(o *observed) {
		o.Memory.DeletedSince = epoch.Add(-ago)
		at := metav1.NewTime(o.Memory.DeletedSince.Add(time.Hour))
		o.Run.DeletionTimestamp = &at
	}
}

// triedLoad says that the loading Job could not be created, since so long.
func triedLoad(ago time.Duration) situation {
	return func(o *observed) {
		meta.SetStatusCondition(&ensureWorkload(o.Run, "a").Conditions, metav1.Condition{
			Type: v1alpha1.ConditionLoaded, Status: "Unknown", Reason: reasonJobNotCreated, LastTransitionTime: metav1.NewTime(epoch.Add(-ago)),
		})
	}
}

func left(names ...string) situation { return func(o *observed) { o.Left = names } }

// leftBesides is beside a store.
func leftBesides(name string) situation {
	return func(o *observed) { o.Left, o.LeftBesides = []string{"Pod m-0", name}, []string{name} }
}

func kept(o *observed) { o.Run.Spec.Retain = v1alpha1.RetainAlways }

func notHealed(o *observed) {
	setWorkload(o.Run, decision{Workload: "a", Condition: v1alpha1.ConditionFaultsHealed, Reason: reasonNotHealed}, "False")
}

func release(state releaseState) situation { return func(o *observed) { o.Store.Release = state } }

func reported(o *observed) {
	deployed(o)
	workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)(o)
	condition(v1alpha1.ConditionReported, "True", "Stored", time.Second)(o)
}

func noPlan(o *observed) { o.Plan, o.PlanExists = nil, false }

// brokenPlan is a ConfigMap that somebody changed.
func brokenPlan(o *observed) {
	o.Plan, o.PlanTrouble = nil, "it is not the plan that the run was admitted with"
}

// signature is all that a decision says, apart from its message and its timer.
func signature(d decision) string {
	return strings.Join(strings.Fields(strings.Join([]string{d.Role, d.Workload, d.Fault, d.Target, d.Condition, d.Reason, string(d.Question)}, " ")), " ")
}

// pass is one pass of what is decided, and done.
func pass(t *testing.T, r *Reconciler, o *observed) (again time.Duration, err error) {
	t.Helper()
	o.Asked = answers{}
	d, err := r.decided(t.Context(), o)
	must(t, err)
	return r.act(t.Context(), o, d)
}

func TestDecide(t *testing.T) {
	intendedAt := func(ago time.Duration) v1alpha1.FaultStatus {
		return v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1", InjectedAfterUnixNanos: epoch.Add(-ago).UnixNano()}
	}
	cases := []struct {
		name string
		seen *observed
		want verb
		says string // see signature
	}{
		{"a new run is admitted", given(), doAdmit, ""},
		{"it is asked first whether all of it was read", given(unasked), doAsk, "Newest"},
		{"a run that was read too early waits", given(readTooEarly), doWait, "ReadTooEarly"},
		{"the plan was kept, and a killed controller said nothing", given(planned, func(o *observed) { o.Run.Status.PlanSHA256 = "" }), doAdmit, ""},
		{"an admitted run takes the free slot", given(planned, func(o *observed) { o.Slot.Free = true }), doTakeSlot, ""},
		{"it waits while another holds the slot", given(planned), doWait, "Accepted Queued"},
		{"it waits while an older one waits", given(planned, func(o *observed) { o.Slot = slotState{Free: true, Ahead: 1} }), doWait, "Accepted Queued"},
		{"a killed controller took the slot and said nothing", given(planned, func(o *observed) { o.Slot.Held = true }), doAccept, ""},

		{"an older one that can't be admitted is not waited for for ever", given(planned, func(o *observed) {
			o.Slot = slotState{Free: true, Ahead: 1, Unadmitted: 1}
		}), doWait, "Accepted Queued"},

		{"what is left of an interrupted install is waited for", given(accepted, release(releaseAbsent), func(o *observed) { o.StoreLeft = 2 }), doWait, "StoreReady Clearing"},
		{"no release yet", given(accepted, release(releaseAbsent)), doInstall, ""},
		{"a release that the service account may not look at", given(accepted, release(releaseForbidden)), doFail, "DeployRefused"},
		{"a release that a killed controller left half done", given(accepted, release(releaseBroken)), doRepair, ""},
		{"members are coming up", given(accepted, release(releaseDeployed)), doWait, "StoreReady Deploying"},
		{"members are ready, and the observer doesn't see a leader: it is asked why", given(accepted, func(o *observed) {
			o.Store = storeState{Release: releaseDeployed, ReadyMembers: 3}
		}), doAsk, "Sample"},
		{"members that ask for a password are ready: the observer is asked what it waits for", given(accepted, func(o *observed) {
			o.Store, o.Plan.Store.Security = storeState{Release: releaseDeployed, ReadyMembers: 3}, "Auth"
		}), doAsk, "Sample"},
		{"all is ready", given(accepted, func(o *observed) {
			o.Store = storeState{Release: releaseDeployed, ReadyMembers: 3, ObserverReady: true}
		}), doStoreReady, ""},
		{"members never get ready", given(accepted, release(releaseDeployed), condition(v1alpha1.ConditionAccepted, "False", "x", 0),
			condition(v1alpha1.ConditionAccepted, "True", "Admitted", 11*time.Minute)), doFail, "DeployTimedOut"},
		{"the plan was deleted under way", given(accepted, noPlan), doFail, "PlanLost"},

		{"the files were deleted under way", given(accepted, noFiles), doFail, "FilesLost"},
		{"the files were deleted while the run waits", given(planned, noFiles), doWait, "Accepted Queued"},
		{"the files are of no use any more", given(reported, noFiles), doTearDown, "CleanedUp TearingDown"},
		{"the plan was changed under way", given(accepted, brokenPlan), doFail, "PlanLost"},

		{"endpoints: the observer alone is made", given(accepted, endpoints), doInstall, ""},
		{"endpoints: the observer is asked what it waits for", given(accepted, endpoints, observing), doAsk, "Sample"},
		{"endpoints: the observer sees them", given(accepted, endpoints, observing, func(o *observed) { o.Store.ObserverReady = true }), doStoreReady, ""},
		{"endpoints: the observer never sees them", given(accepted, endpoints, observing, condition(v1alpha1.ConditionAccepted, "False", "x", 0),
			condition(v1alpha1.ConditionAccepted, "True", "Admitted", 11*time.Minute)), doFail, "EndpointsNotSteady"},
		{"endpoints are emptied if the plan says so", given(deployed, endpoints, func(o *observed) { o.Plan.Workloads[0].Reset = true }), doCreateJob, "reset a"},
		{"it is not emptied while it is being loaded", given(deployed, job("load-a", jobState{ReadyPods: 2}), func(o *observed) {
			o.Plan.Workloads[0].Reset = true
		}), doWait, "Loading"},
		{"endpoints: nothing of the run is left", given(reported, endpoints, func(o *observed) {
			o.PlanExists, o.Store.Release = false, releaseAbsent
		}), doNoteGone, reasonAllGone},

		{"the records are loaded first", given(deployed), doCreateJob, "load a"},
		{"the Job can't be created for a while", given(deployed, triedLoad(4*time.Minute)), doCreateJob, "load a"},
		{"the Job can't be created at all", given(deployed, triedLoad(6*time.Minute)), doFail, "JobNotCreated"},
		{"loading", given(deployed, job("load-a", jobState{ReadyPods: 2})), doWait, "Loading"},
		{"loading failed", given(deployed, job("load-a", jobState{Failed: true, Message: "no space"})), doFail, "LoadFailed"},
		{"loaded", given(deployed, job("load-a", jobState{Complete: true})), doSetWorkload, "a Loaded Loaded"},
		{"nothing to load", given(deployed, func(o *observed) { o.Plan.Workloads[0].LoadFirst = false }), doSetWorkload, "a Loaded NotAsked"},

		{"a measuring Job is made", given(deployed, workloadAt("a", v1alpha1.ConditionLoaded)), doCreateJob, "worker a"},
		{"one of two workers is ready", given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{ReadyPods: 1})), doWait, "Arming"},
		{"both are ready", given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{ReadyPods: 2})), doSetWorkload, "a Armed Armed"},
		{"a worker ended before the start", given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{Failed: true})), doFail, "ArmFailed"},
		{"workers never get ready", given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), job("measure-a", jobState{Age: 6 * time.Minute})), doFail, "ArmTimedOut"},

		{"armed: the start is posted", given(measuring(0), func(o *observed) { ensureWorkload(o.Run, "a").StartedAtUnixNanos = 0 }), doStart, "a"},
		{"measuring", given(measuring(20 * time.Second)), doProgress, "a Measuring"},
		{"a worker was lost after an intent: was it injected?", given(measuring(42*time.Second), withFault, faultIs(intendedAt(2*time.Second), faults.State{}),
			job("measure-a", jobState{Failed: true}), unasked), doAsk, "Faults"},
		{"a worker was lost before the fault: how far are the clocks apart?", given(measuring(20*time.Second), withFault,
			job("measure-a", jobState{Failed: true}), unasked), doAsk, "Clocks"},
		{"the workers are done, and there was a fault: how far are the clocks apart?", given(measuring(80*time.Second), withFault,
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{}), job("measure-a", jobState{Complete: true}), unasked), doAsk, "Clocks"},
		{"nobody can say", given(measuring(80*time.Second), withFault, faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{}),
			job("measure-a", jobState{Complete: true}), func(o *observed) { o.Asked.Clocks.Trouble = "it is away" }), doWait, "a Measured ClockUnknown"},
		{"the target is chosen on what the observer says", given(measuring(40*time.Second), withFault, sampled(&bundle.TopologyLine{Leader: "m-1"})), doIntendFault, "kill m-1"},
		{"there is no leader now", given(measuring(40*time.Second), withFault, sampled(&bundle.TopologyLine{})), doIntendFault, "kill"},
		{"a worker was lost", given(measuring(20*time.Second), job("measure-a", jobState{Failed: true})), doFail, "MeasurementLost"},
		{"the Job was deleted", given(measuring(20*time.Second), func(o *observed) { o.Jobs = map[string]jobState{} }), doFail, "MeasurementLost"},
		{"measured", given(measuring(80*time.Second), job("measure-a", jobState{Complete: true})), doSetWorkload, "a Measured Measured"},

		{"a fault may be due, but the server's time isn't known", given(measuring(40*time.Second), withFault,
			func(o *observed) { o.ServerNow = time.Time{} }), doWait, "ClockUnknown"},
		{"a fault isn't due", given(measuring(39*time.Second), withFault), doProgress, "a Measuring"},
		{"a fault is due", given(measuring(40*time.Second), withFault), doAsk, "Sample"},
		{"a fault is due, a little late", given(measuring(59*time.Second), withFault), doAsk, "Sample"},
		{"a fault was due while no controller was there", given(measuring(61*time.Second), withFault), doFail, "FaultNotInjected"},
		{"an intent is carried out", given(measuring(41*time.Second), withFault, faultIs(intendedAt(time.Second), faults.State{})), doInjectFault, "kill"},
		{"an intent without a target is made again", given(measuring(41*time.Second), withFault,
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended}, faults.State{})), doAsk, "Sample"},
		{"an old intent is made again: roles move", given(measuring(45*time.Second), withFault, faultIs(intendedAt(3*time.Second), faults.State{})), doAsk, "Sample"},
		{"Chaos Mesh is at work", given(measuring(42*time.Second), withFault, faultIs(intendedAt(2*time.Second), faults.State{Exists: true})), doProgress, "a Measuring"},
		{"injected", given(measuring(42*time.Second), withFault, faultIs(intendedAt(2*time.Second), faults.State{Exists: true, Injected: true})), doNoteInjected, "kill"},
		{"made for another pod", given(measuring(42*time.Second), withFault, faultIs(intendedAt(2*time.Second), faults.State{Exists: true, Injected: true, Pod: "etcd-9"})), doFail, "FaultNotInjected"},
		{"not injected within its deadline", given(measuring(71*time.Second), withFault, faultIs(intendedAt(31*time.Second), faults.State{Exists: true, Message: "no daemon"})), doFail, "FaultNotInjected"},
		{"an injected fault is healed", given(measuring(43*time.Second), withFault,
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true})), doHealFault, "kill"},
		{"healing doesn't stop the measurement", given(measuring(43*time.Second), withFault,
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: epoch.Add(-time.Second)})), doProgress, "a Measuring"},
		{"healed", given(measuring(43*time.Second), withFault, faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{})), doNoteHealed, "kill"},
		{"the workers are done before an intended fault was injected", given(measuring(42*time.Second), withFault,
			faultIs(intendedAt(time.Second), faults.State{}), job("measure-a", jobState{Complete: true})), doFail, "FaultNotInjected"},
		{"the workers are done, and Chaos Mesh is still at work", given(measuring(60*time.Second), withFault,
			faultIs(intendedAt(20*time.Second), faults.State{Exists: true}), job("measure-a", jobState{Complete: true})), doFail, "FaultNotInjected"},
		{"the workers are done, and an injection was not noted yet", given(measuring(60*time.Second), withFault,
			faultIs(intendedAt(20*time.Second), faults.State{Exists: true, Injected: true}), job("measure-a", jobState{Complete: true})), doNoteInjected, "kill"},
		{"the workers are done, and a fault is to be healed: that has its own deadline", given(measuring(80*time.Second), withFault, job("measure-a", jobState{Complete: true}),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true})), doSetWorkload, "a Measured Measured"},
		{"measured, and a fault's object is still there", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: epoch.Add(-time.Second)})), doWait, "Healing"},
		{"Chaos Mesh never lets go of a fault", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: epoch.Add(-2 * time.Minute)})), doForceFault, "kill"},
		{"nor when force doesn't help: it is named, and the run goes on", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: epoch.Add(-3 * time.Minute)})), doSetWorkload, "a FaultsHealed NotHealed"},
		{"the deletion of a fault is refused", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: epoch.Add(-2 * time.Minute)})), doHealFault, "kill"},
		{"for too long", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: epoch.Add(-3 * time.Minute)})), doSetWorkload, "a FaultsHealed NotHealed"},
		{"for too long, while it is measured", given(measuring(43*time.Second), withFault,
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: epoch.Add(-3 * time.Minute)})), doProgress, "a Measuring"},
		{"and accepted at last: it has its time to go", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, RefusedSince: epoch.Add(-3 * time.Minute), DeletingSince: epoch})), doWait, "Healing"},
		{"a run whose fault could not be healed is reported", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured), notHealed,
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true})), doCollect, ""},
		{"a fault that can't be healed doesn't make the next one late", given(measuring(80*time.Second), withFault, withSecondFault,
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: epoch.Add(-90 * time.Second)})), doAsk, "Sample"},
		{"measured and healed", given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})), doSetWorkload, "a FaultsHealed Healed"},

		{"a second workload empties the store", given(deployed, withSecondWorkload,
			workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)), doCreateJob, "reset b"},
		{"it loads when the store is empty", given(deployed, withSecondWorkload,
			workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed),
			job("reset-b", jobState{Complete: true}), job("load-b", jobState{Complete: true})), doSetWorkload, "b Loaded Loaded"},

		{"after faults it is looked whether the store is whole", given(afterFaults), doAsk, "Sample"},
		{"it is waited for", given(afterFaults, wholeIs("Unknown", 9*time.Minute)), doAsk, "Sample"},
		{"not for longer than a deployment", given(afterFaults, unwell, wholeIs("Unknown", 10*time.Minute)), doSetWorkload, "b StoreWhole NotWhole"},
		{"which the run may bound", given(afterFaults, unwell, wholeIs("Unknown", time.Minute), func(o *observed) { o.Run.Spec.Timeouts.Deploy = "30s" }), doSetWorkload, "b StoreWhole NotWhole"},
		{"the store is whole: the workload begins", given(afterFaults, wholeIs("True", time.Second)), doCreateJob, "reset b"},
		{"it isn't in time, and the workload begins", given(afterFaults, wholeIs("False", time.Second)), doCreateJob, "reset b"},
		{"a workload that measures on what is there waits too", given(afterFaults, func(o *observed) { o.Plan.Workloads[1].LoadFirst = false }), doAsk, "Sample"},
		{"a workload that has begun doesn't wait", given(afterFaults, workloadAt("b", v1alpha1.ConditionLoaded)), doCreateJob, "worker b"},
		{"faults of its own are not waited for", given(deployed, withSecondWorkload, withFault, func(o *observed) { o.Plan.Faults[0].Workload = "b" },
			workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)), doCreateJob, "reset b"},
		{"faults that could not be healed are waited for all the same", given(afterFaults, notHealed), doAsk, "Sample"},
		{"deleted while it waits", given(afterFaults, wholeIs("Unknown", time.Minute), deleting, left("Pod m-0")), doTearDown, "CleanedUp TearingDown"},
		{"it failed while it waits", given(afterFaults, wholeIs("Unknown", time.Minute), condition(conditionFailing, "True", "PlanLost", 0)), doTearDown, "CleanedUp TearingDown"},

		{"all measured: the report is made", given(reported, func(o *observed) {
			meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionReported)
		}), doCollect, ""},
		{"reported: everything is removed", given(reported, release(releaseDeployed), left("Pod m-0")), doTearDown, "CleanedUp TearingDown"},
		{"all but the plan is gone", given(reported, release(releaseAbsent)), doTearDown, "CleanedUp TearingDown"},
		{"the release can't be looked at, but nothing is left", given(reported, release(releaseForbidden), noPlan), doNoteGone, "AllGone"},
		{"all is gone", given(reported, release(releaseAbsent), noPlan), doNoteGone, "AllGone"},
		{"something stays past the deadline", given(reported, left("Pod m-0"), condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), doNoteGone, "TimedOut"},
		{"what was stuck is tried again after the end", given(reported, left("Pod m-0"), condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), doTidy, ""},
		{"until it goes: the plan follows", given(reported, condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), doTidy, ""},
		{"and then nothing is left", given(reported, noPlan, condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), doNoteGone, "AllGone"},
		{"a stuck teardown lets the queue go on", given(reported, left("Pod m-0"), condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Second)), doFinish, "Complete"},
		{"a store that is kept", given(reported, kept, left("Pod m-0"), condition(v1alpha1.ConditionCleanedUp, "True", "Retained", time.Second)), doFinish, "Complete"},
		{"what is not the store goes first", given(reported, kept, left("Pod m-0")), doTearDown, "CleanedUp TearingDown"},
		{"and is waited for", given(reported, kept, leftBesides("PodChaos kill"), condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", time.Second)), doTearDown, "CleanedUp TearingDown"},
		{"until it is gone", given(reported, kept, left("Pod m-0"), condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", time.Second)), doNoteGone, "Retained"},
		{"or its time is over", given(reported, kept, leftBesides("PodChaos kill"), condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), doNoteGone, "TimedOut"},
		{"which doesn't hold the queue up", given(reported, kept, leftBesides("PodChaos kill"), condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Second)), doFinish, "Complete"},
		{"and is tried again after the end", given(reported, kept, leftBesides("PodChaos kill"), condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), doTidy, ""},
		{"until only the store is left", given(reported, kept, left("Pod m-0"), condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), doNoteGone, "Retained"},
		{"the end", given(reported, noPlan, condition(v1alpha1.ConditionCleanedUp, "True", "AllGone", 0)), doFinish, "Complete"},
		{"after the end", given(reported, condition(v1alpha1.ConditionComplete, "True", "Finished", 0)), doNothing, ""},

		{"a failed measurement ends the faults that may still be to come", given(measuring(20*time.Second), condition(conditionFailing, "True", "FaultNotInjected", 0),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected}, faults.State{Exists: true})), doHealFault, "kill"},
		{"asks once for those that are held on to", given(measuring(20*time.Second), condition(conditionFailing, "True", "FaultNotInjected", 0),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: epoch})), doStopWorkers, ""},
		{"or that nobody may delete", given(measuring(20*time.Second), condition(conditionFailing, "True", "FaultNotInjected", 0),
			faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected}, faults.State{Exists: true, RefusedSince: epoch})), doStopWorkers, ""},
		{"a controller that was away asks them all the same", given(measuring(20*time.Second), condition(conditionFailing, "True", "MeasurementLost", 2*time.Minute),
			job("measure-a", jobState{}), func(o *observed) { o.Began = o.Now }), doStopWorkers, ""},
		{"a Job that may not be deleted doesn't hold the report up", given(measuring(20*time.Second), condition(conditionFailing, "True", "MeasurementLost", 2*time.Minute),
			job("measure-a", jobState{})), doCollect, ""},
		{"a failed measurement stops its workers", given(measuring(20*time.Second), condition(conditionFailing, "True", "MeasurementLost", 0)), doStopWorkers, ""},
		{"and waits for what they still ship", given(measuring(20*time.Second), condition(conditionFailing, "True", "MeasurementLost", 0),
			func(o *observed) { o.Jobs, o.Workers = nil, 2 }), doWait, "StoppingWorkers"},
		{"a Job that never goes doesn't hold the report up", given(measuring(20*time.Second), condition(conditionFailing, "True", "MeasurementLost", 2*time.Minute),
			job("measure-a", jobState{Deleting: true})), doCollect, ""},
		{"and is reported", given(measuring(20*time.Second), condition(conditionFailing, "True", "MeasurementLost", 0), func(o *observed) { o.Jobs = nil }), doCollect, ""},
		{"a failed deployment is torn down", given(accepted, release(releaseDeployed), condition(conditionFailing, "True", "DeployTimedOut", 0)), doTearDown, "CleanedUp TearingDown"},
		{"a failed run ends", given(accepted, noPlan, condition(conditionFailing, "True", "DeployTimedOut", 0), condition(v1alpha1.ConditionCleanedUp, "True", "AllGone", 0)), doFinish, "Failed"},

		{"deleted before anything was made", given(deleting), doRelease, ""},
		{"deleted while measuring", given(measuring(20*time.Second), deleting, left("Job x")), doTearDown, "CleanedUp TearingDown"},
		{"deleted, and all is gone", given(measuring(20*time.Second), deleting, noPlan), doRelease, ""},
		{"deleted after the end", given(reported, noPlan, condition(v1alpha1.ConditionComplete, "True", "Finished", 0), deleting), doRelease, ""},
		{"deleted with a store that was kept", given(reported, kept, left("Pod m-0"), release(releaseDeployed),
			condition(v1alpha1.ConditionCleanedUp, "True", "Retained", time.Second), deleting), doTearDown, "CleanedUp TearingDown"},
		{"deleted long ago, while no controller was there", given(measuring(20*time.Second), left("Pod m-0"), deletedAgo(time.Hour)), doTearDown, "CleanedUp TearingDown"},
		{"deleted after a teardown that was stuck", given(reported, left("Pod m-0"), deleting,
			condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), doTearDown, "CleanedUp TearingDown"},
		{"deleted late in a teardown", given(reported, left("Pod m-0"), deletedAgo(time.Minute),
			condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), doTearDown, "CleanedUp TearingDown"},
		{"a finalizer doesn't hang for ever", given(measuring(20*time.Second), left("Pod m-0"), deletedAgo(time.Hour),
			condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), doRelease, ""},
		{"deleted, and its plan can't be read", given(measuring(20*time.Second), brokenPlan, deleting), doTearDown, "CleanedUp TearingDown"},
		{"the namespace goes, with a fault in it", given(measuring(42*time.Second), withFault, deleting, faultIs(intendedAt(0), faults.State{Exists: true}),
			func(o *observed) { o.NamespaceGoing = true }), doHealFault, "kill"},
		{"the namespace goes, and Chaos Mesh holds on", given(measuring(42*time.Second), withFault, deleting,
			faultIs(intendedAt(0), faults.State{Exists: true, Deleting: true, DeletingSince: epoch.Add(-90 * time.Second)}),
			func(o *observed) { o.NamespaceGoing = true }), doForceFault, "kill"},
		{"the namespace goes, and not even force helps", given(measuring(42*time.Second), withFault, deleting,
			faultIs(intendedAt(0), faults.State{Exists: true, Deleting: true, DeletingSince: epoch.Add(-3 * time.Minute)}),
			func(o *observed) { o.NamespaceGoing = true }), doRelease, ""},
		{"the namespace goes, and the fault may not be deleted", given(measuring(42*time.Second), withFault, deleting,
			faultIs(intendedAt(0), faults.State{Exists: true, RefusedSince: epoch.Add(-time.Minute)}),
			func(o *observed) { o.NamespaceGoing = true }), doHealFault, "kill"},
		{"the namespace goes, and the fault may not be deleted for too long", given(measuring(42*time.Second), withFault, deleting,
			faultIs(intendedAt(0), faults.State{Exists: true, RefusedSince: epoch.Add(-3 * time.Minute)}),
			func(o *observed) { o.NamespaceGoing = true }), doRelease, ""},
		{"the namespace goes", given(measuring(42*time.Second), deleting, func(o *observed) { o.NamespaceGoing = true }), doRelease, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := decide(c.seen)
			if got.Verb != c.want || signature(got) != c.says {
				t.Errorf("decide = %s %q (%s), want %s %q", got.Verb, signature(got), got.Message, c.want, c.says)
			}
		})
	}
}

func TestAWaitForAFaultEndsWhenItIsDue(t *testing.T) {
	if got := decide(given(measuring(39*time.Second), withFault)); got.After != time.Second {
		t.Errorf("look again after %s, want 1s", got.After)
	}
	if got := decide(given(measuring(20*time.Second), withFault)); got.After != progressEvery {
		t.Errorf("look again after %s, want %s", got.After, progressEvery)
	}
}

// What could not be removed, and why, is said where people look, and told.
func TestAFaultThatCouldNotBeHealedIsNamed(t *testing.T) {
	const refusal = "the fault's object could not be deleted: denied by policy"
	o := given(measuring(80*time.Second), withFault, workloadAt("a", v1alpha1.ConditionMeasured),
		faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Message: refusal}, faults.State{Exists: true, RefusedSince: epoch.Add(-3 * time.Minute)}))
	before := o.Run.DeepCopy()
	if _, err := pass(t, &Reconciler{}, o); err != nil {
		t.Fatal(err)
	}
	healed := workloadCondition(o.Run, "a", v1alpha1.ConditionFaultsHealed)
	if healed == nil || healed.Status != "False" || healed.Message != "faults could not be healed: kill: "+refusal {
		t.Errorf("the condition is %+v", healed)
	}
	told := story(before, o.Run)
	if len(told) != 1 || told[0].Type != "Warning" || told[0].Reason != "NotHealed" || !strings.HasSuffix(told[0].Message, "kill: "+refusal) {
		t.Errorf("told is %+v", told)
	}
	lines, err := faultLines(o)
	if err != nil || !strings.Contains(string(lines), `"error":"`+refusal) {
		t.Errorf("the report is told %s (%v)", lines, err)
	}
}

func TestATeardownThatTimesOutSaysWhy(t *testing.T) {
	o := given(reported, kept, leftBesides("PodChaos kill"), condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute))
	o.Memory.TeardownTrouble = "healing fault kill: denied by policy"
	if got, want := decide(o).Message, "still there: PodChaos kill: healing fault kill: denied by policy"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func TestAFailureNamesWhatWentWrong(t *testing.T) {
	loading := func(state jobState) *observed {
		state.Failed = true
		return given(deployed, job("load-a", state), func(o *observed) { o.Run.Spec.Timeouts.Load = "40s" })
	}
	for _, c := range []struct {
		name string
		seen *observed
		want string
	}{
		{"a loader ended", loading(jobState{Message: "pod x: Error, exit code 1: no space"}),
			"the records of workload a could not be loaded: pod x: Error, exit code 1: no space"},
		{"loading took too long", loading(jobState{TimedOut: true}),
			"the records of workload a could not be loaded within 40s (timeouts.load)"},
		{"no loader ever ran", loading(jobState{TimedOut: true, Message: "pod x never ran: Unschedulable: Insufficient cpu"}),
			"the records of workload a could not be loaded within 40s (timeouts.load): pod x never ran: Unschedulable: Insufficient cpu"},
		{"emptying took too long", given(deployed, withSecondWorkload, job("reset-b", jobState{Failed: true, TimedOut: true}),
			workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)),
			"the store could not be emptied before workload b within 30m0s (timeouts.load)"},
		{"measuring took too long", given(measuring(20*time.Second), job("measure-a", jobState{Failed: true, TimedOut: true})),
			"a worker of workload a was lost; a measurement is never repeated in silence: its Job was not done by its deadline"},
		{"a worker died in time", given(measuring(20*time.Second), job("measure-a", jobState{Failed: true, Message: "pod x: OOMKilled"})),
			"a worker of workload a was lost; a measurement is never repeated in silence: pod x: OOMKilled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decide(c.seen); got.Message != c.want {
				t.Errorf("message %q, want %q", got.Message, c.want)
			}
		})
	}
}
