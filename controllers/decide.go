package controllers

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// verb is the one thing that a pass does.
type verb string

const (
	doNothing      verb = "Nothing"
	doAdmit        verb = "Admit"        // compile, check, write the plan
	doTakeSlot     verb = "TakeSlot"     // take the Lease
	doAccept       verb = "Accept"       // say that it is our turn
	doInstall      verb = "Install"      // release and observer
	doRepair       verb = "Repair"       // uninstall a release that a killed controller left
	doStoreReady   verb = "StoreReady"   // say so
	doCreateJob    verb = "CreateJob"    // Job names the role
	doSetWorkload  verb = "SetWorkload"  // set Condition on the workload
	doStart        verb = "Start"        // post the start time
	doIntendFault  verb = "IntendFault"  // sample, choose the target, write the intent
	doInjectFault  verb = "InjectFault"  // create the object
	doNoteInjected verb = "NoteInjected" // write the bracket
	doHealFault    verb = "HealFault"    // delete the object
	doForceFault   verb = "ForceFault"   // remove the object from a Chaos Mesh that holds on to it
	doNoteHealed   verb = "NoteHealed"
	doProgress     verb = "Progress"
	doCollect      verb = "Collect" // merge and keep the report
	doFail         verb = "Fail"    // note why, then tear down
	doStopWorkers  verb = "StopWorkers"
	doTearDown     verb = "TearDown"
	doNoteGone     verb = "NoteGone" // CleanedUp
	doFinish       verb = "Finish"   // give the slot back, set the end condition
	doRelease      verb = "Release"  // remove the finalizer
	doWait         verb = "Wait"
)

// decision is what decide wants done. Reason and Message go into a condition.
type decision struct {
	Verb      verb
	Workload  string
	Fault     string
	Role      string // of the Job to create
	Condition string
	Reason    string
	Message   string
	// After asks to look again then, when nothing happens before.
	After time.Duration
}

func wait(reason, message string, after time.Duration) decision {
	return decision{Verb: doWait, Reason: reason, Message: message, After: after}
}

func fail(reason, format string, args ...any) decision {
	return decision{Verb: doFail, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// decide is the state machine: from what is there to the one next thing. It derives the
// step from objects and conditions; it never reads status.phase.
func decide(o *observed) decision {
	run := o.Run
	deleting := !run.DeletionTimestamp.IsZero()
	ended := isTrue(run, v1alpha1.ConditionComplete) || isTrue(run, v1alpha1.ConditionFailed)
	switch {
	case deleting && o.NamespaceGoing:
		return decideLetGo(o)
	case deleting:
		return decideTeardown(o, decision{Verb: doRelease})
	case ended:
		return decision{Verb: doNothing}
	case isTrue(run, conditionFailing):
		return decideFailing(o)
	case o.Plan == nil && isTrue(run, v1alpha1.ConditionAccepted) && !isTrue(run, v1alpha1.ConditionReported):
		return fail("PlanLost", "the ConfigMap %s with the plan was deleted or changed while the run was under way%s", planName(runID(run)), because(o.PlanTrouble))
	case o.Plan == nil && !isTrue(run, v1alpha1.ConditionReported):
		return decision{Verb: doAdmit}
	case !isTrue(run, v1alpha1.ConditionAccepted) && run.Status.PlanSHA256 == "":
		// The plan was kept, and the status that says so was not.
		return decision{Verb: doAdmit}
	case !isTrue(run, v1alpha1.ConditionAccepted):
		return decideQueue(o)
	case !isTrue(run, v1alpha1.ConditionStoreReady):
		return decideDeploy(o)
	case !isTrue(run, v1alpha1.ConditionReported):
		for i := range o.Plan.Workloads {
			if d, done := decideWorkload(o, &o.Plan.Workloads[i], i); !done {
				return d
			}
		}
		return decideCollect(o)
	default:
		return decideTeardown(o, decision{Verb: doFinish, Condition: v1alpha1.ConditionComplete})
	}
}

func decideQueue(o *observed) decision {
	switch {
	case o.Slot.Held:
		return decision{Verb: doAccept}
	case o.Slot.Free && o.Slot.Ahead == 0:
		return decision{Verb: doTakeSlot}
	default:
		d := decision{
			Verb: doWait, Condition: v1alpha1.ConditionAccepted, Reason: "Queued", After: queueLook,
			Message: "waiting for its turn: runs on one cluster disturb each other, so one runs at a time",
		}
		if o.Slot.Unadmitted > 0 {
			d.After = admitGrace // then a run that can't be admitted is passed over
		}
		return d
	}
}

// queueLook is how often a run that waits looks by itself. The end of the run before wakes
// it; this costs the API server nothing, and a queue must not stop for one wake-up.
const queueLook = 5 * time.Minute

func decideDeploy(o *observed) decision {
	deadline := o.Run.Spec.Timeouts.Deploy.Or(10 * time.Minute)
	left := deadline - since(o, v1alpha1.ConditionAccepted)
	members := len(o.Plan.Store.Members)
	switch {
	case o.Store.Release == releaseDeployed && o.Store.ReadyMembers >= members && o.Store.ObserverReady:
		return decision{Verb: doStoreReady}
	case left <= 0:
		return fail("DeployTimedOut", "%d of %d members were ready after %s%s", o.Store.ReadyMembers, members, deadline, because(firstOf(o.Store.Trouble, installTrouble(o.Run))))
	case o.Store.Release == releaseForbidden:
		return fail("DeployRefused", "service account %s may not deploy the store%s", serviceAccount(o.Run), because(o.Store.Refusal))
	case o.Store.Release == releaseAbsent && o.StoreLeft > 0:
		// A new set of the same name would take the old one's pods and volumes for its own.
		return decision{
			Verb: doWait, Condition: v1alpha1.ConditionStoreReady, Reason: "Clearing", After: left,
			Message: "an interrupted installation is being removed, before the store is installed anew",
		}
	case o.Store.Release == releaseAbsent:
		return decision{Verb: doInstall}
	case o.Store.Release == releaseBroken:
		return decision{Verb: doRepair}
	default:
		return decision{
			Verb: doWait, Condition: v1alpha1.ConditionStoreReady, Reason: "Deploying", After: left,
			Message: "the release is installed; waiting until all members are ready and the observer sees them",
		}
	}
}

// installTrouble is why the last attempt to install the release failed.
func installTrouble(run *v1alpha1.BenchmarkRun) string {
	if ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady); ready != nil && ready.Reason == reasonInstallFailed {
		return ready.Message
	}
	return ""
}

func decideCollect(o *observed) decision {
	deadline := collectDeadline(o.Run)
	last := o.Plan.Workloads[len(o.Plan.Workloads)-1].Name
	if condition := workloadCondition(o.Run, last, v1alpha1.ConditionMeasured); condition != nil &&
		o.Now.Sub(condition.LastTransitionTime.Time) > deadline {
		return fail("CollectTimedOut", "the results server did not merge the results within %s; they are kept there and can be merged later", deadline)
	}
	return decision{Verb: doCollect}
}

func collectDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Collect.Or(5 * time.Minute)
}

// decideWorkload brings one workload from Reset to FaultsHealed; done is true when it is
// through.
func decideWorkload(o *observed, w *plan.Workload, index int) (d decision, done bool) {
	switch {
	case !workloadIs(o.Run, w.Name, v1alpha1.ConditionLoaded):
		return decideLoad(o, w, index), false
	case !workloadIs(o.Run, w.Name, v1alpha1.ConditionArmed):
		return decideArm(o, w), false
	case !workloadIs(o.Run, w.Name, v1alpha1.ConditionMeasured):
		return decideMeasure(o, w), false
	case !workloadIs(o.Run, w.Name, v1alpha1.ConditionFaultsHealed):
		return decideHeal(o, w), false
	}
	return decision{}, true
}

func decideLoad(o *observed, w *plan.Workload, index int) decision {
	loaded := decision{Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionLoaded}
	if !w.LoadFirst {
		loaded.Reason, loaded.Message = "NotAsked", "the workload measures on the records that are there"
		return loaded
	}
	id := o.Plan.Run.ID
	// The first workload finds a store that was just deployed: there is nothing to empty.
	if w.Reset && index > 0 {
		reset := o.Jobs[resetName(id, w.Name)]
		switch {
		case !reset.Exists:
			return decideCreate(o, w, roleReset)
		case reset.Failed:
			return fail("ResetFailed", "the store could not be emptied before workload %s%s", w.Name, because(reset.Message))
		case !reset.Complete:
			return wait("Resetting", "emptying the store before workload "+w.Name, 0)
		}
	}
	load := o.Jobs[loadName(id, w.Name)]
	switch {
	case !load.Exists:
		return decideCreate(o, w, roleLoad)
	case load.Failed:
		return fail("LoadFailed", "the records of workload %s could not be loaded%s", w.Name, because(load.Message))
	case load.Complete:
		loaded.Reason, loaded.Message = "Loaded", fmt.Sprintf("%d records are in the store", w.Records)
		return loaded
	}
	return wait("Loading", fmt.Sprintf("loading %d records for workload %s", w.Records, w.Name), 0)
}

// stepOf is the condition that a role's Job is made for.
func stepOf(role string) string {
	if role == roleWorker {
		return v1alpha1.ConditionArmed
	}
	return v1alpha1.ConditionLoaded
}

// createDeadline bounds the attempts to create a Job, from the first one that failed.
const createDeadline = 5 * time.Minute

// decideCreate makes the workload's next Job, for as long as may be tried.
func decideCreate(o *observed, w *plan.Workload, role string) decision {
	if c := workloadCondition(o.Run, w.Name, stepOf(role)); c != nil && c.Reason == reasonJobNotCreated &&
		o.Now.Sub(c.LastTransitionTime.Time) > createDeadline {
		return fail(reasonJobNotCreated, "%s", c.Message)
	}
	return decision{Verb: doCreateJob, Workload: w.Name, Role: role}
}

// armDeadline bounds the time that workers take to be scheduled, to connect and to claim
// their index.
const armDeadline = 5 * time.Minute

func decideArm(o *observed, w *plan.Workload) decision {
	job := o.Jobs[measureName(o.Plan.Run.ID, w.Name)]
	switch {
	case !job.Exists:
		return decideCreate(o, w, roleWorker)
	case job.Failed || job.Complete:
		return fail("ArmFailed", "a worker of workload %s ended before the start%s", w.Name, because(job.Message))
	case job.ReadyPods >= w.Load.Workers:
		return decision{
			Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionArmed,
			Reason: "Armed", Message: fmt.Sprintf("%d workers are connected and wait for the start", w.Load.Workers),
		}
	case job.Age > armDeadline:
		return fail("ArmTimedOut", "%d of %d workers of workload %s were ready after %s%s", job.ReadyPods, w.Load.Workers, w.Name, armDeadline, because(job.Message))
	}
	return wait("Arming", fmt.Sprintf("waiting for the workers of workload %s", w.Name), armDeadline-job.Age+time.Second)
}

func decideMeasure(o *observed, w *plan.Workload) decision {
	job := o.Jobs[measureName(o.Plan.Run.ID, w.Name)]
	status := findWorkload(o.Run, w.Name)
	switch {
	case !job.Exists:
		return fail("MeasurementLost", "the Job of workload %s was deleted while it was under way", w.Name)
	case job.Failed:
		return fail("MeasurementLost", "a worker of workload %s was lost; a measurement is never repeated in silence%s", w.Name, because(job.Message))
	case status.StartedAtUnixNanos == 0:
		return decision{Verb: doStart, Workload: w.Name}
	}
	if job.Complete {
		if fault, why := missedFault(o, w); fault != "" {
			return fail("FaultNotInjected", "fault %s was not injected before workload %s was over%s", fault, w.Name, because(why))
		}
	}
	if o.ServerNow.IsZero() && len(o.Plan.Faults) > 0 {
		return wait("ClockUnknown", errClockUnknown.Error(), 200*time.Millisecond)
	}
	nextFault, due := decideFaults(o, w, status.StartedAtUnixNanos)
	if due {
		return nextFault
	}
	if job.Complete {
		return decision{
			Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionMeasured,
			Reason: "Measured", Message: "the results server has everything that the workers recorded",
		}
	}
	after := progressEvery
	if nextFault.After > 0 && nextFault.After < after {
		after = nextFault.After
	}
	return decision{Verb: doProgress, Workload: w.Name, Reason: "Measuring", After: after}
}

// progressEvery is how often status.progress moves.
const progressEvery = 5 * time.Second

func decideHeal(o *observed, w *plan.Workload) decision {
	healed := decision{Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionFaultsHealed, Reason: "NoFaults", Message: "no faults were asked for"}
	for _, fault := range o.Plan.Faults {
		if fault.Workload != w.Name {
			continue
		}
		if d, busy := healFault(o, fault); busy {
			return d
		}
		healed.Reason, healed.Message = "Healed", "all fault objects are gone"
	}
	return healed
}

func because(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
