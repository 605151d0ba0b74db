package decide

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
)

// signature is all that a decision says, apart from its message and its timer.
func signature(d Decision) string {
	return strings.Join(strings.Fields(strings.Join([]string{d.Role, d.Workload, d.Fault, d.Sides.String(), d.Condition, d.Reason, string(d.Question)}, " ")), " ")
}

func TestDecide(t *testing.T) {
	secondInjected := func(o *state.Observed) {
		status.EnsureFault(o.Run, "again").State = v1alpha1.FaultIntended
		o.Faults["again"] = faults.State{Exists: true, Injected: true}
	}
	intendedAt := func(ago time.Duration) v1alpha1.FaultStatus {
		return v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1", InjectedAfterUnixNanos: statetest.Epoch.Add(-ago).UnixNano()}
	}
	cases := []struct {
		name string
		seen *state.Observed
		want Verb
		says string // see signature
	}{
		{"a new run is admitted", statetest.Given(), DoAdmit, ""},
		{"it is asked first whether all of it was read", statetest.Given(statetest.Unasked), DoAsk, "Newest"},
		{"a run that was read too early waits", statetest.Given(statetest.ReadTooEarly), DoWait, "ReadTooEarly"},
		{"the plan was kept, and a killed controller said nothing", statetest.Given(statetest.Planned, func(o *state.Observed) { o.Run.Status.PlanSHA256 = "" }), DoAdmit, ""},
		{"an admitted run takes the free slot", statetest.Given(statetest.Planned, func(o *state.Observed) { o.Slot.Free = true }), DoTakeSlot, ""},
		{"it waits while another holds the slot", statetest.Given(statetest.Planned), DoWait, "Accepted Queued"},
		{"it waits while an older one waits", statetest.Given(statetest.Planned, func(o *state.Observed) { o.Slot = state.Slot{Free: true, Ahead: 1} }), DoWait, "Accepted Queued"},
		{"a killed controller took the slot and said nothing", statetest.Given(statetest.Planned, func(o *state.Observed) { o.Slot.Held = true }), DoAccept, ""},

		{"an older one that can't be admitted is not waited for for ever", statetest.Given(statetest.Planned, func(o *state.Observed) {
			o.Slot = state.Slot{Free: true, Ahead: 1, Unadmitted: 1}
		}), DoWait, "Accepted Queued"},

		{"what is left of an interrupted install is waited for", statetest.Given(statetest.Accepted, statetest.Release(state.ReleaseAbsent), func(o *state.Observed) { o.StoreLeft = 2 }), DoWait, "StoreReady Clearing"},
		{"no release yet", statetest.Given(statetest.Accepted, statetest.Release(state.ReleaseAbsent)), DoInstall, ""},
		{"a release that the service account may not look at", statetest.Given(statetest.Accepted, statetest.Release(state.ReleaseForbidden)), DoFail, "DeployRefused"},
		{"a release that a killed controller left half done", statetest.Given(statetest.Accepted, statetest.Release(state.ReleaseBroken)), DoRepair, ""},
		{"members are coming up", statetest.Given(statetest.Accepted, statetest.Release(state.ReleaseDeployed)), DoWait, "StoreReady Deploying"},
		{"members are ready, and the observer doesn't see a leader: it is asked why", statetest.Given(statetest.Accepted, func(o *state.Observed) {
			o.Store = state.Store{Release: state.ReleaseDeployed, ReadyMembers: 3}
		}), DoAsk, "Sample"},
		{"members that ask for a password are ready: the observer is asked what it waits for", statetest.Given(statetest.Accepted, func(o *state.Observed) {
			o.Store, o.Plan.Store.Security = state.Store{Release: state.ReleaseDeployed, ReadyMembers: 3}, "Auth"
		}), DoAsk, "Sample"},
		{"all is ready", statetest.Given(statetest.Accepted, func(o *state.Observed) {
			o.Store = state.Store{Release: state.ReleaseDeployed, ReadyMembers: 3, ObserverReady: true}
		}), DoStoreReady, ""},
		{"members never get ready", statetest.Given(statetest.Accepted, statetest.Release(state.ReleaseDeployed), statetest.Condition(v1alpha1.ConditionAccepted, "False", "x", 0),
			statetest.Condition(v1alpha1.ConditionAccepted, "True", "Admitted", 11*time.Minute)), DoFail, "DeployTimedOut"},
		{"the plan was deleted under way", statetest.Given(statetest.Accepted, statetest.NoPlan), DoFail, "PlanLost"},

		{"the files were deleted under way", statetest.Given(statetest.Accepted, statetest.NoFiles), DoFail, "FilesLost"},
		{"the files were deleted while the run waits", statetest.Given(statetest.Planned, statetest.NoFiles), DoWait, "Accepted Queued"},
		{"the files are of no use any more", statetest.Given(statetest.Reported, statetest.NoFiles), DoTearDown, "CleanedUp TearingDown"},
		{"the plan was changed under way", statetest.Given(statetest.Accepted, statetest.BrokenPlan), DoFail, "PlanLost"},

		{"endpoints: the observer alone is made", statetest.Given(statetest.Accepted, statetest.Endpoints), DoInstall, ""},
		{"endpoints: the observer is asked what it waits for", statetest.Given(statetest.Accepted, statetest.Endpoints, statetest.Observing), DoAsk, "Sample"},
		{"endpoints: the observer sees them", statetest.Given(statetest.Accepted, statetest.Endpoints, statetest.Observing, func(o *state.Observed) { o.Store.ObserverReady = true }), DoStoreReady, ""},
		{"endpoints: the observer never sees them", statetest.Given(statetest.Accepted, statetest.Endpoints, statetest.Observing, statetest.Condition(v1alpha1.ConditionAccepted, "False", "x", 0),
			statetest.Condition(v1alpha1.ConditionAccepted, "True", "Admitted", 11*time.Minute)), DoFail, "EndpointsNotSteady"},
		{"endpoints are emptied if the plan says so", statetest.Given(statetest.Deployed, statetest.Endpoints, func(o *state.Observed) { o.Plan.Workloads[0].Reset = true }), DoCreateJob, "reset a"},
		{"it is not emptied while it is being loaded", statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{ReadyPods: 2}), func(o *state.Observed) {
			o.Plan.Workloads[0].Reset = true
		}), DoWait, "Loading"},
		{"endpoints: nothing of the run is left", statetest.Given(statetest.Reported, statetest.Endpoints, func(o *state.Observed) {
			o.PlanExists, o.Store.Release = false, state.ReleaseAbsent
		}), DoNoteGone, status.ReasonAllGone},

		{"the records are loaded first", statetest.Given(statetest.Deployed), DoCreateJob, "load a"},
		{"the Job can't be created for a while", statetest.Given(statetest.Deployed, statetest.TriedLoad(4*time.Minute)), DoCreateJob, "load a"},
		{"the Job can't be created at all", statetest.Given(statetest.Deployed, statetest.TriedLoad(6*time.Minute)), DoFail, "JobNotCreated"},
		{"loading", statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{ReadyPods: 2})), DoWait, "Loading"},
		{"loading failed", statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{Failed: true, Message: "no space"})), DoFail, "LoadFailed"},
		{"loaded", statetest.Given(statetest.Deployed, statetest.Job("load-a", state.Job{Complete: true})), DoSetWorkload, "a Loaded Loaded"},
		{"nothing to load", statetest.Given(statetest.Deployed, func(o *state.Observed) { o.Plan.Workloads[0].LoadFirst = false }), DoSetWorkload, "a Loaded NotAsked"},

		{"a measuring Job is made", statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded)), DoCreateJob, "worker a"},
		{"one of two workers is ready", statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{ReadyPods: 1})), DoWait, "Arming"},
		{"both are ready", statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{ReadyPods: 2})), DoSetWorkload, "a Armed Armed"},
		{"a worker ended before the start", statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{Failed: true})), DoFail, "ArmFailed"},
		{"workers never get ready", statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{Age: 6 * time.Minute})), DoFail, "ArmTimedOut"},

		{"armed: the start is posted", statetest.Given(statetest.Measuring(0), func(o *state.Observed) { status.EnsureWorkload(o.Run, "a").StartedAtUnixNanos = 0 }), DoStart, "a"},
		{"measuring", statetest.Given(statetest.Measuring(20 * time.Second)), DoProgress, "a Measuring"},
		{"a worker was lost after an intent: was it injected?", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.FaultIs(intendedAt(2*time.Second), faults.State{}),
			statetest.Job("measure-a", state.Job{Failed: true}), statetest.Unasked), DoAsk, "Faults"},
		{"a worker was lost before the fault: how far are the clocks apart?", statetest.Given(statetest.Measuring(20*time.Second), statetest.WithFault,
			statetest.Job("measure-a", state.Job{Failed: true}), statetest.Unasked), DoAsk, "Clocks"},
		{"the workers are done, and there was a fault: how far are the clocks apart?", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{}), statetest.Job("measure-a", state.Job{Complete: true}), statetest.Unasked), DoAsk, "Clocks"},
		{"nobody can say", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{}),
			statetest.Job("measure-a", state.Job{Complete: true}), func(o *state.Observed) { o.Asked.Clocks.Trouble = "it is away" }), DoWait, "a Measured ClockUnknown"},
		{"the target is chosen on what the observer says", statetest.Given(statetest.Measuring(40*time.Second), statetest.WithFault, statetest.Sampled(&bundle.TopologyLine{Leader: "m-1"})), DoIntendFault, "kill m-1"},
		{"there is no leader now", statetest.Given(statetest.Measuring(40*time.Second), statetest.WithFault, statetest.Sampled(&bundle.TopologyLine{})), DoIntendFault, "kill"},
		{"a worker was lost", statetest.Given(statetest.Measuring(20*time.Second), statetest.Job("measure-a", state.Job{Failed: true})), DoFail, "MeasurementLost"},
		{"the Job was deleted", statetest.Given(statetest.Measuring(20*time.Second), func(o *state.Observed) { o.Jobs = map[string]state.Job{} }), DoFail, "MeasurementLost"},
		{"measured", statetest.Given(statetest.Measuring(80*time.Second), statetest.Job("measure-a", state.Job{Complete: true})), DoSetWorkload, "a Measured Measured"},

		{"a fault may be due, but the server's time isn't known", statetest.Given(statetest.Measuring(40*time.Second), statetest.WithFault,
			func(o *state.Observed) { o.ServerNow = time.Time{} }), DoWait, "ClockUnknown"},
		{"a fault isn't due", statetest.Given(statetest.Measuring(39*time.Second), statetest.WithFault), DoProgress, "a Measuring"},
		{"a fault is due", statetest.Given(statetest.Measuring(40*time.Second), statetest.WithFault), DoAsk, "Sample"},
		{"a fault is due, a little late", statetest.Given(statetest.Measuring(59*time.Second), statetest.WithFault), DoAsk, "Sample"},
		{"a fault was due while no controller was there", statetest.Given(statetest.Measuring(61*time.Second), statetest.WithFault), DoFail, "FaultNotInjected"},
		{"an intent is carried out", statetest.Given(statetest.Measuring(41*time.Second), statetest.WithFault, statetest.FaultIs(intendedAt(time.Second), faults.State{})), DoInjectFault, "kill"},
		{"an intent without a target is made again", statetest.Given(statetest.Measuring(41*time.Second), statetest.WithFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended}, faults.State{})), DoAsk, "Sample"},
		{"an old intent is made again: roles move", statetest.Given(statetest.Measuring(45*time.Second), statetest.WithFault, statetest.FaultIs(intendedAt(3*time.Second), faults.State{})), DoAsk, "Sample"},
		{"Chaos Mesh is at work", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.FaultIs(intendedAt(2*time.Second), faults.State{Exists: true})), DoProgress, "a Measuring"},
		{"injected", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.FaultIs(intendedAt(2*time.Second), faults.State{Exists: true, Injected: true})), DoNoteInjected, "kill"},
		{"made for another pod", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.FaultIs(intendedAt(2*time.Second), faults.State{Exists: true, Injected: true, Sides: faults.Sides{Targets: []string{"etcd-9"}}})), DoFail, "FaultNotInjected"},
		{"not injected within its deadline", statetest.Given(statetest.Measuring(71*time.Second), statetest.WithFault, statetest.FaultIs(intendedAt(31*time.Second), faults.State{Exists: true, Message: "no daemon"})), DoFail, "FaultNotInjected"},
		{"an injected fault is healed", statetest.Given(statetest.Measuring(43*time.Second), statetest.WithFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true})), DoHealFault, "kill"},
		{"healing doesn't stop the measurement", statetest.Given(statetest.Measuring(43*time.Second), statetest.WithFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-time.Second)})), DoProgress, "a Measuring"},
		{"healed", statetest.Given(statetest.Measuring(43*time.Second), statetest.WithFault, statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{})), DoNoteHealed, "kill"},
		{"the workers are done before an intended fault was injected", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault,
			statetest.FaultIs(intendedAt(time.Second), faults.State{}), statetest.Job("measure-a", state.Job{Complete: true})), DoFail, "FaultNotInjected"},
		{"the workers are done, and Chaos Mesh is still at work", statetest.Given(statetest.Measuring(60*time.Second), statetest.WithFault,
			statetest.FaultIs(intendedAt(20*time.Second), faults.State{Exists: true}), statetest.Job("measure-a", state.Job{Complete: true})), DoFail, "FaultNotInjected"},
		{"the workers are done, and an injection was not noted yet", statetest.Given(statetest.Measuring(60*time.Second), statetest.WithFault,
			statetest.FaultIs(intendedAt(20*time.Second), faults.State{Exists: true, Injected: true}), statetest.Job("measure-a", state.Job{Complete: true})), DoNoteInjected, "kill"},
		{"the workers are done, and a fault is to be healed: that has its own deadline", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.Job("measure-a", state.Job{Complete: true}),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true})), DoSetWorkload, "a Measured Measured"},
		{"measured, and a fault's object is still there", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-time.Second)})), DoWait, "Healing"},
		{"Chaos Mesh never lets go of a fault", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-2 * time.Minute)})), DoForceFault, "kill"},
		{"nor when force doesn't help: it is named, and the run goes on", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-3 * time.Minute)})), DoSetWorkload, "a FaultsHealed NotHealed"},
		{"the deletion of a fault is refused", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-2 * time.Minute)})), DoHealFault, "kill"},
		{"for too long", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-3 * time.Minute)})), DoSetWorkload, "a FaultsHealed NotHealed"},
		{"for too long, while it is measured", statetest.Given(statetest.Measuring(43*time.Second), statetest.WithFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-3 * time.Minute)})), DoProgress, "a Measuring"},
		{"and accepted at last: it has its time to go", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, RefusedSince: statetest.Epoch.Add(-3 * time.Minute), DeletingSince: statetest.Epoch})), DoWait, "Healing"},
		{"a run whose fault could not be healed is reported", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured), statetest.NotHealed,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true})), DoCollect, ""},
		{"a fault that can't be healed doesn't make the next one late", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WithSecondFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-90 * time.Second)})), DoAsk, "Sample"},
		{"nor does one whose deletion is refused", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WithSecondFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-time.Second)})), DoAsk, "Sample"},
		{"a fault is healed before the next one is tried", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WithSecondFault,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true})), DoHealFault, "kill"},
		{"and is not healed before the next one is noted", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WithSecondFault, secondInjected,
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true})), DoNoteInjected, "again"},
		{"measured and healed", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})), DoSetWorkload, "a FaultsHealed Healed"},

		{"a second workload empties the store", statetest.Given(statetest.Deployed, statetest.WithSecondWorkload,
			statetest.WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)), DoCreateJob, "reset b"},
		{"it loads when the store is empty", statetest.Given(statetest.Deployed, statetest.WithSecondWorkload,
			statetest.WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed),
			statetest.Job("reset-b", state.Job{Complete: true}), statetest.Job("load-b", state.Job{Complete: true})), DoSetWorkload, "b Loaded Loaded"},

		{"after faults it is looked whether the store is whole", statetest.Given(statetest.AfterFaults), DoAsk, "Sample"},
		{"it is waited for", statetest.Given(statetest.AfterFaults, statetest.WholeIs("Unknown", 9*time.Minute)), DoAsk, "Sample"},
		{"not for longer than a deployment", statetest.Given(statetest.AfterFaults, statetest.Unwell, statetest.WholeIs("Unknown", 10*time.Minute)), DoSetWorkload, "b StoreWhole NotWhole"},
		{"which the run may bound", statetest.Given(statetest.AfterFaults, statetest.Unwell, statetest.WholeIs("Unknown", time.Minute), func(o *state.Observed) { o.Run.Spec.Timeouts.Deploy = "30s" }), DoSetWorkload, "b StoreWhole NotWhole"},
		{"the store is whole: the workload begins", statetest.Given(statetest.AfterFaults, statetest.WholeIs("True", time.Second)), DoCreateJob, "reset b"},
		{"it isn't in time, and the workload begins", statetest.Given(statetest.AfterFaults, statetest.WholeIs("False", time.Second)), DoCreateJob, "reset b"},
		{"a workload that measures on what is there waits too", statetest.Given(statetest.AfterFaults, func(o *state.Observed) { o.Plan.Workloads[1].LoadFirst = false }), DoAsk, "Sample"},
		{"a workload that has begun doesn't wait", statetest.Given(statetest.AfterFaults, statetest.WorkloadAt("b", v1alpha1.ConditionLoaded)), DoCreateJob, "worker b"},
		{"faults of its own are not waited for", statetest.Given(statetest.Deployed, statetest.WithSecondWorkload, statetest.WithFault, func(o *state.Observed) { o.Plan.Faults[0].Workload = "b" },
			statetest.WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)), DoCreateJob, "reset b"},
		{"faults that could not be healed are waited for all the same", statetest.Given(statetest.AfterFaults, statetest.NotHealed), DoAsk, "Sample"},
		{"deleted while it waits", statetest.Given(statetest.AfterFaults, statetest.WholeIs("Unknown", time.Minute), statetest.Deleting, statetest.Left("Pod m-0")), DoTearDown, "CleanedUp TearingDown"},
		{"it failed while it waits", statetest.Given(statetest.AfterFaults, statetest.WholeIs("Unknown", time.Minute), statetest.Condition(status.ConditionFailing, "True", "PlanLost", 0)), DoTearDown, "CleanedUp TearingDown"},

		{"all measured: the report is made", statetest.Given(statetest.Reported, func(o *state.Observed) {
			meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionReported)
		}), DoCollect, ""},
		{"reported: everything is removed", statetest.Given(statetest.Reported, statetest.Release(state.ReleaseDeployed), statetest.Left("Pod m-0")), DoTearDown, "CleanedUp TearingDown"},
		{"all but the plan is gone", statetest.Given(statetest.Reported, statetest.Release(state.ReleaseAbsent)), DoTearDown, "CleanedUp TearingDown"},
		{"the release can't be looked at, but nothing is left", statetest.Given(statetest.Reported, statetest.Release(state.ReleaseForbidden), statetest.NoPlan), DoNoteGone, "AllGone"},
		{"all is gone", statetest.Given(statetest.Reported, statetest.Release(state.ReleaseAbsent), statetest.NoPlan), DoNoteGone, "AllGone"},
		{"something stays past the deadline", statetest.Given(statetest.Reported, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), DoNoteGone, "TimedOut"},
		{"what was stuck is tried again after the end", statetest.Given(statetest.Reported, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), DoTidy, ""},
		{"until it goes: the plan follows", statetest.Given(statetest.Reported, statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), DoTidy, ""},
		{"and then nothing is left", statetest.Given(statetest.Reported, statetest.NoPlan, statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), DoNoteGone, "AllGone"},
		{"a stuck teardown lets the queue go on", statetest.Given(statetest.Reported, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Second)), DoFinish, "Complete"},
		{"a store that is kept", statetest.Given(statetest.Reported, statetest.Kept, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionCleanedUp, "True", "Retained", time.Second)), DoFinish, "Complete"},
		{"what is not the store goes first", statetest.Given(statetest.Reported, statetest.Kept, statetest.Left("Pod m-0")), DoTearDown, "CleanedUp TearingDown"},
		{"and is waited for", statetest.Given(statetest.Reported, statetest.Kept, statetest.LeftBesides("PodChaos kill"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", time.Second)), DoTearDown, "CleanedUp TearingDown"},
		{"until it is gone", statetest.Given(statetest.Reported, statetest.Kept, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", time.Second)), DoNoteGone, "Retained"},
		{"or its time is over", statetest.Given(statetest.Reported, statetest.Kept, statetest.LeftBesides("PodChaos kill"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), DoNoteGone, "TimedOut"},
		{"which doesn't hold the queue up", statetest.Given(statetest.Reported, statetest.Kept, statetest.LeftBesides("PodChaos kill"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Second)), DoFinish, "Complete"},
		{"and is tried again after the end", statetest.Given(statetest.Reported, statetest.Kept, statetest.LeftBesides("PodChaos kill"), statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), DoTidy, ""},
		{"until only the store is left", statetest.Given(statetest.Reported, statetest.Kept, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), DoNoteGone, "Retained"},
		{"the end", statetest.Given(statetest.Reported, statetest.NoPlan, statetest.Condition(v1alpha1.ConditionCleanedUp, "True", "AllGone", 0)), DoFinish, "Complete"},
		{"after the end", statetest.Given(statetest.Reported, statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0)), DoNothing, ""},

		{"a failed measurement ends the faults that may still be to come", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "FaultNotInjected", 0),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected}, faults.State{Exists: true})), DoHealFault, "kill"},
		{"asks once for those that are held on to", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "FaultNotInjected", 0),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected}, faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch})), DoStopWorkers, ""},
		{"or that nobody may delete", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "FaultNotInjected", 0),
			statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected}, faults.State{Exists: true, RefusedSince: statetest.Epoch})), DoStopWorkers, ""},
		{"a controller that was away asks them all the same", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", 2*time.Minute),
			statetest.Job("measure-a", state.Job{}), func(o *state.Observed) { o.Began = o.Now }), DoStopWorkers, ""},
		{"a Job that may not be deleted doesn't hold the report up", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", 2*time.Minute),
			statetest.Job("measure-a", state.Job{})), DoCollect, ""},
		{"a failed measurement stops its workers", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", 0)), DoStopWorkers, ""},
		{"and waits for what they still ship", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", 0),
			func(o *state.Observed) { o.Jobs, o.Workers = nil, 2 }), DoWait, "StoppingWorkers"},
		{"a Job that never goes doesn't hold the report up", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", 2*time.Minute),
			statetest.Job("measure-a", state.Job{Deleting: true})), DoCollect, ""},
		{"and is reported", statetest.Given(statetest.Measuring(20*time.Second), statetest.Condition(status.ConditionFailing, "True", "MeasurementLost", 0), func(o *state.Observed) { o.Jobs = nil }), DoCollect, ""},
		{"a failed deployment is torn down", statetest.Given(statetest.Accepted, statetest.Release(state.ReleaseDeployed), statetest.Condition(status.ConditionFailing, "True", "DeployTimedOut", 0)), DoTearDown, "CleanedUp TearingDown"},
		{"a failed run ends", statetest.Given(statetest.Accepted, statetest.NoPlan, statetest.Condition(status.ConditionFailing, "True", "DeployTimedOut", 0), statetest.Condition(v1alpha1.ConditionCleanedUp, "True", "AllGone", 0)), DoFinish, "Failed"},

		{"deleted before anything was made", statetest.Given(statetest.Deleting), DoRelease, ""},
		{"deleted while measuring", statetest.Given(statetest.Measuring(20*time.Second), statetest.Deleting, statetest.Left("Job x")), DoTearDown, "CleanedUp TearingDown"},
		{"deleted, and all is gone", statetest.Given(statetest.Measuring(20*time.Second), statetest.Deleting, statetest.NoPlan), DoRelease, ""},
		{"deleted after the end", statetest.Given(statetest.Reported, statetest.NoPlan, statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0), statetest.Deleting), DoRelease, ""},
		{"deleted with a store that was kept", statetest.Given(statetest.Reported, statetest.Kept, statetest.Left("Pod m-0"), statetest.Release(state.ReleaseDeployed),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "True", "Retained", time.Second), statetest.Deleting), DoTearDown, "CleanedUp TearingDown"},
		{"deleted long ago, while no controller was there", statetest.Given(statetest.Measuring(20*time.Second), statetest.Left("Pod m-0"), statetest.DeletedAgo(time.Hour)), DoTearDown, "CleanedUp TearingDown"},
		{"deleted after a teardown that was stuck", statetest.Given(statetest.Reported, statetest.Left("Pod m-0"), statetest.Deleting,
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)), DoTearDown, "CleanedUp TearingDown"},
		{"deleted late in a teardown", statetest.Given(statetest.Reported, statetest.Left("Pod m-0"), statetest.DeletedAgo(time.Minute),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), DoTearDown, "CleanedUp TearingDown"},
		{"a finalizer doesn't hang for ever", statetest.Given(statetest.Measuring(20*time.Second), statetest.Left("Pod m-0"), statetest.DeletedAgo(time.Hour),
			statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), DoRelease, ""},
		{"deleted, and its plan can't be read", statetest.Given(statetest.Measuring(20*time.Second), statetest.BrokenPlan, statetest.Deleting), DoTearDown, "CleanedUp TearingDown"},
		{"the namespace goes, with a fault in it", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.Deleting, statetest.FaultIs(intendedAt(0), faults.State{Exists: true}),
			func(o *state.Observed) { o.NamespaceGoing = true }), DoHealFault, "kill"},
		{"the namespace goes, and Chaos Mesh holds on", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.Deleting,
			statetest.FaultIs(intendedAt(0), faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-90 * time.Second)}),
			func(o *state.Observed) { o.NamespaceGoing = true }), DoForceFault, "kill"},
		{"the namespace goes, and not even force helps", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.Deleting,
			statetest.FaultIs(intendedAt(0), faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-3 * time.Minute)}),
			func(o *state.Observed) { o.NamespaceGoing = true }), DoRelease, ""},
		{"the namespace goes, and the fault may not be deleted", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.Deleting,
			statetest.FaultIs(intendedAt(0), faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-time.Minute)}),
			func(o *state.Observed) { o.NamespaceGoing = true }), DoHealFault, "kill"},
		{"the namespace goes, and the fault may not be deleted for too long", statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, statetest.Deleting,
			statetest.FaultIs(intendedAt(0), faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-3 * time.Minute)}),
			func(o *state.Observed) { o.NamespaceGoing = true }), DoRelease, ""},
		{"the namespace goes", statetest.Given(statetest.Measuring(42*time.Second), statetest.Deleting, func(o *state.Observed) { o.NamespaceGoing = true }), DoRelease, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Decide(c.seen)
			if got.Verb != c.want || signature(got) != c.says {
				t.Errorf("decide = %s %q (%s), want %s %q", got.Verb, signature(got), got.Message, c.want, c.says)
			}
		})
	}
}

func TestAWaitForAFaultEndsWhenItIsDue(t *testing.T) {
	if got := Decide(statetest.Given(statetest.Measuring(39*time.Second), statetest.WithFault)); got.After != time.Second {
		t.Errorf("look again after %s, want 1s", got.After)
	}
	if got := Decide(statetest.Given(statetest.Measuring(20*time.Second), statetest.WithFault)); got.After != status.ProgressEvery {
		t.Errorf("look again after %s, want %s", got.After, status.ProgressEvery)
	}
}

func TestATeardownThatTimesOutSaysWhy(t *testing.T) {
	o := statetest.Given(statetest.Reported, statetest.Kept, statetest.LeftBesides("PodChaos kill"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute))
	o.Memory.TeardownTrouble = "healing fault kill: denied by policy"
	if got, want := Decide(o).Message, "still there: PodChaos kill: healing fault kill: denied by policy"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func TestAFailureNamesWhatWentWrong(t *testing.T) {
	loading := func(found state.Job) *state.Observed {
		found.Failed = true
		return statetest.Given(statetest.Deployed, statetest.Job("load-a", found), func(o *state.Observed) { o.Run.Spec.Timeouts.Load = "40s" })
	}
	for _, c := range []struct {
		name string
		seen *state.Observed
		want string
	}{
		{"a loader ended", loading(state.Job{Message: "pod x: Error, exit code 1: no space"}),
			"the records of workload a could not be loaded: pod x: Error, exit code 1: no space"},
		{"loading took too long", loading(state.Job{TimedOut: true}),
			"the records of workload a could not be loaded within 40s (timeouts.load)"},
		{"no loader ever ran", loading(state.Job{TimedOut: true, Message: "pod x never ran: Unschedulable: Insufficient cpu"}),
			"the records of workload a could not be loaded within 40s (timeouts.load): pod x never ran: Unschedulable: Insufficient cpu"},
		{"emptying took too long", statetest.Given(statetest.Deployed, statetest.WithSecondWorkload, statetest.Job("reset-b", state.Job{Failed: true, TimedOut: true}),
			statetest.WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)),
			"the store could not be emptied before workload b within 30m0s (timeouts.load)"},
		{"measuring took too long", statetest.Given(statetest.Measuring(20*time.Second), statetest.Job("measure-a", state.Job{Failed: true, TimedOut: true})),
			"a worker of workload a was lost; a measurement is never repeated in silence: its Job was not done by its deadline"},
		{"a worker died in time", statetest.Given(statetest.Measuring(20*time.Second), statetest.Job("measure-a", state.Job{Failed: true, Message: "pod x: OOMKilled"})),
			"a worker of workload a was lost; a measurement is never repeated in silence: pod x: OOMKilled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Decide(c.seen); got.Message != c.want {
				t.Errorf("message %q, want %q", got.Message, c.want)
			}
		})
	}
}
