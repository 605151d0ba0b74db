package controllers

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
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
	doIntendFault  verb = "IntendFault"  // write the intent, with the Target
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
	doTidy         verb = "Tidy"     // tear down what an ended run has left
	doNoteGone     verb = "NoteGone" // CleanedUp
	doFinish       verb = "Finish"   // give the slot back, set the end condition
	doRelease      verb = "Release"  // remove the finalizer
	doWait         verb = "Wait"
	doAsk          verb = "Ask" // answer the Question, and decide again
)

// decision is what decide wants done. Reason and Message go into a condition.
type decision struct {
	Verb      verb
	Workload  string
	Fault     string
	Target    string // of the fault to intend
	Question  question
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

func ask(q question) decision { return decision{Verb: doAsk, Question: q} }

func fail(reason, format string, args ...any) decision {
	return decision{Verb: doFail, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// decide is the state machine: from what is there to the one next thing. It derives the step from
// objects and conditions, and never reads status.phase. Where a decision needs what a pass doesn't
// read each time, it is doAsk: the question is answered in o, and decide is called again.
func decide(o *observed) decision {
	d := decideStep(o)
	if d.Verb == doFail {
		return decideFail(o, d)
	}
	return d
}

func decideStep(o *observed) decision {
	run := o.Run
	deleting := !run.DeletionTimestamp.IsZero()
	switch {
	case deleting && o.NamespaceGoing:
		return decideLetGo(o)
	case deleting:
		return decideTeardown(o, decision{Verb: doRelease})
	case ended(run):
		return decideAfterEnd(o)
	case isTrue(run, conditionFailing):
		return decideFailing(o)
	case o.Plan == nil && isTrue(run, v1alpha1.ConditionAccepted) && !isTrue(run, v1alpha1.ConditionReported):
		return fail("PlanLost", "the ConfigMap %s with the plan was deleted or changed while the run was under way%s", planName(runID(run)), because(o.PlanTrouble))
	case o.FilesLost && isTrue(run, v1alpha1.ConditionAccepted) && !isTrue(run, v1alpha1.ConditionReported):
		return fail("FilesLost", "the ConfigMap %s with the run's files was deleted or changed while the run was under way", filesName(runID(run)))
	case o.Plan == nil && !isTrue(run, v1alpha1.ConditionReported):
		return decideAdmit(o)
	case !isTrue(run, v1alpha1.ConditionAccepted) && run.Status.PlanSHA256 == "":
		// The plan was kept, and the status that says so was not.
		return decideAdmit(o)
	case !isTrue(run, v1alpha1.ConditionAccepted):
		return decideQueue(o)
	case !isTrue(run, v1alpha1.ConditionStoreReady):
		return decideDeploy(o)
	case !isTrue(run, v1alpha1.ConditionReported):
		for i := range o.Plan.Workloads {
			if d, done := decideWorkload(o, &o.Plan.Workloads[i]); !done {
				return d
			}
		}
		return decideCollect(o)
	default:
		return decideTeardown(o, decision{Verb: doFinish, Condition: v1alpha1.ConditionComplete})
	}
}

// decideAdmit admits a run as it is now: what was read may lack the news that it was refused.
func decideAdmit(o *observed) decision {
	switch {
	case o.Asked.Newest == nil:
		return ask(askNewest)
	case !*o.Asked.Newest:
		return wait("ReadTooEarly", "the run was read before a write of it arrived in the cache", 50*time.Millisecond)
	}
	return decision{Verb: doAdmit}
}

func decideQueue(o *observed) decision {
	switch {
	case o.Slot.Held:
		return decision{Verb: doAccept}
	case o.Slot.Free && o.Slot.Ahead == 0:
		return decision{Verb: doTakeSlot}
	default:
		d := decision{
			Verb: doWait, Condition: v1alpha1.ConditionAccepted, Reason: reasonQueued, After: queueLook, Message: queuedMessage(o.Slot.Behind),
		}
		if o.Slot.Unadmitted > 0 {
			d.After = admitGrace // then a run that can't be admitted is passed over
		}
		return d
	}
}

const (
	reasonQueued    = "Queued" // of Accepted
	reasonNameTaken = "NameTaken"
)

// queuedMessage speaks of the run before alone, so that it stays the same while others have their turns:
// a queue must not be written anew with each of them.
func queuedMessage(behind string) string {
	return "waiting for its turn" + behind + ": runs on one cluster disturb each other, so one runs at a time"
}

// queueLook is how often a run that waits looks by itself. The end of the run before wakes
// it; this costs the API server nothing, and a queue must not stop for one wake-up.
const queueLook = 5 * time.Minute

func decideDeploy(o *observed) decision {
	deadline := deployDeadline(o.Run)
	left := deadline - since(o, v1alpha1.ConditionAccepted)
	if onEndpoints(o.Run) {
		return decideReach(o, deadline)
	}
	members := len(o.Plan.Store.Members)
	stuck, next := decideTrouble(o.Store.Troubles, storeReady(o.Run), o.Now)
	switch {
	case storeStands(o) && o.Store.Unfit.Reason != "":
		return decision{Verb: doFail, Reason: o.Store.Unfit.Reason, Message: o.Store.Unfit.Message}
	case storeStands(o):
		return decision{Verb: doStoreReady, Message: "all members are ready, and the observer sees them"}
	case left <= 0:
		return fail("DeployTimedOut", "store %s: %d of %d members were ready after %s%s%s (raise spec.timeouts.deploy if they are only slow; spec.retain: OnFailure keeps them, for a look at their logs)",
			o.Plan.Store.Name, o.Store.ReadyMembers, members, deadline, unseen(o), because(whyNotReady(o)))
	case o.Store.Release == releaseForbidden:
		return fail("DeployRefused", "service account %s may not deploy the store%s", serviceAccount(o.Run), because(o.Store.Refusal))
	case o.Store.Release == releaseAbsent && o.StoreLeft > 0:
		// A new set of the same name would take the old one's pods and volumes for its own.
		return decision{
			Verb: doWait, Condition: v1alpha1.ConditionStoreReady, Reason: reasonClearing, After: untilLook(o, left),
			Message: clearing(o),
		}
	case o.Store.Release == releaseAbsent:
		return decision{Verb: doInstall}
	case o.Store.Release == releaseBroken:
		return decision{Verb: doRepair}
	case stuck.Verb != "":
		return stuck.ofStore(untilLook(o, left))
	case membersStand(o):
		// Pods may be ready whose members don't see each other, or that ask their clients for
		// another password than the run's.
		return decideLook(o, min(endpointsLook, untilLook(o, left)))
	default:
		return decision{
			Verb: doWait, Condition: v1alpha1.ConditionStoreReady, Reason: "Deploying", After: sooner(untilLook(o, left), next),
			Message: deployingMessage + because(o.Store.Unready),
		}
	}
}

func deployDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Deploy.Or(10 * time.Minute)
}

const deployingMessage = "the release is installed; waiting until all members are ready and the observer sees them"

func storeStands(o *observed) bool { return membersStand(o) && o.Store.ObserverReady }

func membersStand(o *observed) bool {
	return o.Store.Release == releaseDeployed && o.Store.ReadyMembers >= len(o.Plan.Store.Members) && o.Store.Unready == ""
}

// unseen says that it is not the members alone that are waited for.
func unseen(o *observed) string {
	if o.Store.ObserverReady {
		return ""
	}
	return ", and the observer was not ready"
}

func decideCollect(o *observed) decision {
	tried, late := triedToCollect(o)
	if !late {
		return decision{Verb: doCollect}
	}
	reason := "CollectTimedOut"
	if tried.Reason == reasonDiskFull {
		reason = reasonDiskFull
	}
	return fail(reason, "the report could not be made within %s; the results are kept, and it can be made later%s", mergeDeadline(o), because(tried.Message))
}

// mergesAnHour is what the merge of an hour of a worker takes at most: a slow machine has it in 3 s.
const mergesAnHour = 10 * time.Second

// mergeDeadline bounds the making of the report. By default, measurements that are long or have many
// workers have more time.
func mergeDeadline(o *observed) time.Duration {
	deadline := collectDeadline(o.Run)
	if o.Run.Spec.Timeouts.Collect != "" {
		return deadline
	}
	var workerMillis int64
	for i := range o.Plan.Workloads {
		w := &o.Plan.Workloads[i]
		workerMillis += int64(w.Load.Workers) * w.DurationMillis
	}
	return deadline + time.Duration(workerMillis/time.Hour.Milliseconds())*mergesAnHour
}

func collectDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Collect.Or(5 * time.Minute)
}
