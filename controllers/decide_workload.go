package controllers

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// decideWorkload brings one workload from a store that is whole to FaultsHealed; done is true
// when it is through.
func decideWorkload(o *observed, w *plan.Workload) (d decision, done bool) {
	if d, waits := decideWhole(o, w); waits {
		return d, false
	}
	switch {
	case !workloadIs(o.Run, w.Name, v1alpha1.ConditionLoaded):
		return decideLoad(o, w), false
	case !workloadIs(o.Run, w.Name, v1alpha1.ConditionArmed):
		return decideArm(o, w), false
	case !workloadIs(o.Run, w.Name, v1alpha1.ConditionMeasured):
		return decideMeasure(o, w), false
	case workloadCondition(o.Run, w.Name, v1alpha1.ConditionFaultsHealed) == nil:
		return decideHeal(o, w), false
	}
	return decision{}, true
}

func decideLoad(o *observed, w *plan.Workload) decision {
	loaded := decision{Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionLoaded}
	if !w.LoadFirst {
		loaded.Reason, loaded.Message = "NotAsked", "the workload measures on the records that are there"
		return loaded
	}
	id := o.Plan.Run.ID
	load := o.Jobs[plan.LoadJobName(id, w.Name)]
	// Once it is loading, it is emptied no more.
	if w.Reset && !load.Exists {
		reset := o.Jobs[resetName(id, w.Name)]
		switch {
		case !reset.Exists:
			return decideCreate(o, w, roleReset)
		case reset.Failed:
			return fail("ResetFailed", "the store could not be emptied before workload %s%s", w.Name, whyNotLoaded(o, w, reset))
		case !reset.Complete:
			return awaitPods(o, w, v1alpha1.ConditionLoaded, reset, wait(reasonResetting, "emptying the store before workload "+w.Name, 0))
		}
	}
	switch {
	case !load.Exists:
		return decideCreate(o, w, roleLoad)
	case load.Failed:
		return fail("LoadFailed", "the records of workload %s could not be loaded%s", w.Name, whyNotLoaded(o, w, load))
	case load.Complete:
		loaded.Reason, loaded.Message = "Loaded", fmt.Sprintf("%d records are in the store", w.Records)
		return loaded
	}
	return awaitPods(o, w, v1alpha1.ConditionLoaded, load, wait(reasonLoading, fmt.Sprintf("loading %d records for workload %s", w.Records, w.Name), 0))
}

// loadDeadline bounds each Job that empties the store or loads it.
func loadDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Load.Or(30 * time.Minute)
}

// whyNotLoaded is why a Job of loading failed, after what failed. What its pods waited for was told
// before they were deleted, and their status may not have it any more.
func whyNotLoaded(o *observed, w *plan.Workload, job jobState) string {
	if job.TimedOut {
		waited := firstOf(troubleTold(o.Run, w.Name, v1alpha1.ConditionLoaded), job.Message)
		return fmt.Sprintf(" within %s (timeouts.load)%s", loadDeadline(o.Run), because(waited))
	}
	return because(job.Message)
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
	job := o.Jobs[plan.MeasureJobName(o.Plan.Run.ID, w.Name)]
	switch {
	case !job.Exists:
		return decideCreate(o, w, roleWorker)
	case job.Failed || job.Complete:
		return fail("ArmFailed", "a worker of workload %s ended before the start%s", w.Name, because(whyLost(job)))
	case job.ReadyPods >= w.Load.Workers:
		return decision{
			Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionArmed,
			Reason: "Armed", Message: fmt.Sprintf("%d of %d workers are connected and wait for the start", job.ReadyPods, w.Load.Workers),
		}
	case armingFor(o, w, job) > armDeadline:
		return fail("ArmTimedOut", "%d of %d workers of workload %s were ready after %s%s", job.ReadyPods, w.Load.Workers, w.Name, armDeadline, because(job.Message))
	}
	return awaitPods(o, w, v1alpha1.ConditionArmed, job,
		wait(reasonArming, fmt.Sprintf("waiting for the workers of workload %s", w.Name), armDeadline-armingFor(o, w, job)+time.Second))
}

// armingFor is how long the workers have been there. The Job's age is the API server's word,
// for a run whose status lost when they were made.
func armingFor(o *observed, w *plan.Workload, job jobState) time.Duration {
	if c := workloadCondition(o.Run, w.Name, v1alpha1.ConditionArmed); c != nil && (c.Reason == reasonArming || isTroubleOfPods(c.Reason)) {
		return o.Now.Sub(c.LastTransitionTime.Time)
	}
	return job.Age
}

func decideMeasure(o *observed, w *plan.Workload) decision {
	job := o.Jobs[plan.MeasureJobName(o.Plan.Run.ID, w.Name)]
	status := findWorkload(o.Run, w.Name)
	switch {
	case !job.Exists:
		return fail("MeasurementLost", "the Job of workload %s was deleted while it was under way", w.Name)
	case job.Failed:
		return fail("MeasurementLost", "a worker of workload %s was lost; a measurement is never repeated in silence%s", w.Name, because(whyLost(job)))
	case status.StartedAtUnixNanos == 0:
		return decideStart(o, w)
	}
	if d, moved := decideClock(o, w); moved {
		return d
	}
	if job.Complete {
		if fault, why := missedFault(o, w); fault != "" {
			return fail(reasonFaultNotInjected, "fault %s was not injected before workload %s was over%s", fault, w.Name, because(why))
		}
		if d, waits := decideUnknownClock(o, w); waits {
			return d
		}
	}
	if o.ServerNow.IsZero() && len(o.Plan.Faults) > 0 && !job.Complete {
		return wait(reasonClockUnknown, errClockUnknown.Error(), 200*time.Millisecond)
	}
	nextFault, due := decideFaults(o, w, status.StartedAtUnixNanos)
	removes := nextFault.Verb == doHealFault || nextFault.Verb == doForceFault
	if due && !(job.Complete && removes) { // what is left to remove is decideHeal's, with its own deadline
		return nextFault
	}
	if job.Complete {
		return decideMeasured(o, w)
	}
	after := progressEvery
	if nextFault.After > 0 && nextFault.After < after {
		after = nextFault.After
	}
	return decision{Verb: doProgress, Workload: w.Name, Reason: "Measuring", After: after}
}

// whyLost is why a measuring Job failed. Its workers end by themselves before its deadline.
func whyLost(job jobState) string {
	if job.TimedOut {
		return "its Job was not done by its deadline" + because(job.Message)
	}
	return job.Message
}

// progressEvery is how often status.progress moves.
const progressEvery = 5 * time.Second

func decideHeal(o *observed, w *plan.Workload) decision {
	healed := decision{Verb: doSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionFaultsHealed, Reason: "NoFaults", Message: "no faults were asked for"}
	var stay []string
	var healing []decision
	for _, fault := range o.Plan.Faults {
		if fault.Workload != w.Name {
			continue
		}
		if d, busy := healFault(o, fault); busy {
			healing = append(healing, d)
		}
		healed.Reason, healed.Message = "Healed", "all fault objects are gone"
		if o.Faults[fault.Name].Exists {
			stay = append(stay, fault.Name+because(findFault(o.Run, fault.Name).Message))
		}
	}
	if len(healing) > 0 {
		return nextRemoval(o, healing)
	}
	if len(stay) > 0 {
		healed.Reason, healed.Message = reasonNotHealed, "faults could not be healed: "+list(stay, 8)
	}
	return healed
}

func because(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
