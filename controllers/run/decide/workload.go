package decide

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/plan"
)

// decideWorkload brings one workload from a store that is whole to FaultsHealed; done is true
// when it is through.
func decideWorkload(o *state.Observed, w *plan.Workload) (d Decision, done bool) {
	if d, waits := decideWhole(o, w); waits {
		return d, false
	}
	switch {
	case !status.WorkloadIs(o.Run, w.Name, v1alpha1.ConditionLoaded):
		return decideLoad(o, w), false
	case !status.WorkloadIs(o.Run, w.Name, v1alpha1.ConditionArmed):
		return decideArm(o, w), false
	case !status.WorkloadIs(o.Run, w.Name, v1alpha1.ConditionMeasured):
		return decideMeasure(o, w), false
	case status.WorkloadCondition(o.Run, w.Name, v1alpha1.ConditionFaultsHealed) == nil:
		return decideHeal(o, w), false
	}
	return Decision{}, true
}

func decideLoad(o *state.Observed, w *plan.Workload) Decision {
	loaded := Decision{Verb: DoSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionLoaded}
	if !w.LoadFirst {
		loaded.Reason, loaded.Message = "NotAsked", "the workload measures on the records that are there"
		return loaded
	}
	id := o.Plan.Run.ID
	load := o.Jobs[plan.LoadJobName(id, w.Name)]
	// Once it is loading, it is emptied no more.
	if w.Reset && !load.Exists {
		reset := o.Jobs[plan.ResetJobName(id, w.Name)]
		switch {
		case !reset.Exists:
			return decideCreate(o, w, names.RoleReset)
		case reset.Failed:
			return Fail("ResetFailed", "the store could not be emptied before workload %s%s", w.Name, whyNotLoaded(o, w, reset))
		case !reset.Complete:
			return awaitPods(o, w, v1alpha1.ConditionLoaded, reset, wait(status.ReasonResetting, "emptying the store before workload "+w.Name, 0))
		}
	}
	switch {
	case !load.Exists:
		return decideCreate(o, w, names.RoleLoad)
	case load.Failed:
		return Fail("LoadFailed", "the records of workload %s could not be loaded%s", w.Name, whyNotLoaded(o, w, load))
	case load.Complete:
		loaded.Reason, loaded.Message = "Loaded", fmt.Sprintf("%d records are in the store", w.Records)
		return loaded
	}
	return awaitPods(o, w, v1alpha1.ConditionLoaded, load, wait(status.ReasonLoading, fmt.Sprintf("loading %d records for workload %s", w.ToLoad(), w.Name), 0))
}

// whyNotLoaded is why a Job of loading failed, after what failed. What its pods waited for was told
// before they were deleted, and their status may not have it any more.
func whyNotLoaded(o *state.Observed, w *plan.Workload, job state.Job) string {
	if job.TimedOut {
		waited := message.FirstOf(troubleTold(o.Run, w.Name, v1alpha1.ConditionLoaded), job.Message)
		return fmt.Sprintf(" within %s (timeouts.load)%s", LoadDeadline(o.Run), message.Because(waited))
	}
	return message.Because(job.Message)
}

// StepOf is the condition that a role's Job is made for.
func StepOf(role string) string {
	if role == names.RoleWorker {
		return v1alpha1.ConditionArmed
	}
	return v1alpha1.ConditionLoaded
}

// decideCreate makes the workload's next Job, for as long as may be tried.
func decideCreate(o *state.Observed, w *plan.Workload, role string) Decision {
	if c := status.WorkloadCondition(o.Run, w.Name, StepOf(role)); c != nil && c.Reason == status.ReasonJobNotCreated &&
		o.Now.Sub(c.LastTransitionTime.Time) > createDeadline {
		return Fail(status.ReasonJobNotCreated, "%s", c.Message)
	}
	return Decision{Verb: DoCreateJob, Workload: w.Name, Role: role}
}

func decideArm(o *state.Observed, w *plan.Workload) Decision {
	job := o.Jobs[plan.MeasureJobName(o.Plan.Run.ID, w.Name)]
	switch {
	case !job.Exists:
		return decideCreate(o, w, names.RoleWorker)
	case job.Failed || job.Complete:
		return Fail("ArmFailed", "a worker of workload %s ended before the start%s", w.Name, message.Because(whyLost(job)))
	case job.ReadyPods >= w.Load.Workers:
		return Decision{
			Verb: DoSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionArmed,
			Reason: "Armed", Message: fmt.Sprintf("%d of %d workers are connected and wait for the start", job.ReadyPods, w.Load.Workers),
		}
	case armingFor(o, w, job) > ArmDeadline:
		return Fail("ArmTimedOut", "%d of %d workers of workload %s were ready after %s%s", job.ReadyPods, w.Load.Workers, w.Name, ArmDeadline, message.Because(job.Message))
	}
	return awaitPods(o, w, v1alpha1.ConditionArmed, job,
		wait(status.ReasonArming, fmt.Sprintf("waiting for the workers of workload %s", w.Name), ArmDeadline-armingFor(o, w, job)+time.Second))
}

// armingFor is how long the workers have been there. The Job's age is the API server's word,
// for a run whose status lost when they were made.
func armingFor(o *state.Observed, w *plan.Workload, job state.Job) time.Duration {
	if c := status.WorkloadCondition(o.Run, w.Name, v1alpha1.ConditionArmed); c != nil && (c.Reason == status.ReasonArming || state.IsTroubleOfPods(c.Reason)) {
		return o.Now.Sub(c.LastTransitionTime.Time)
	}
	return job.Age
}

func decideMeasure(o *state.Observed, w *plan.Workload) Decision {
	job := o.Jobs[plan.MeasureJobName(o.Plan.Run.ID, w.Name)]
	noted := status.FindWorkload(o.Run, w.Name)
	switch {
	case !job.Exists:
		return Fail("MeasurementLost", "the Job of workload %s was deleted while it was under way", w.Name)
	case job.Failed:
		return Fail("MeasurementLost", "a worker of workload %s was lost; a measurement is never repeated in silence%s", w.Name, message.Because(whyLost(job)))
	case noted.StartedAtUnixNanos == 0:
		return decideStart(o, w)
	}
	if d, moved := decideClock(o, w); moved {
		return d
	}
	if job.Complete {
		if fault, why := missedFault(o, w); fault != "" {
			return Fail(status.ReasonFaultNotInjected, "fault %s was not injected before workload %s was over%s", fault, w.Name, message.Because(why))
		}
		if d, waits := decideUnknownClock(o, w); waits {
			return healMeanwhile(o, w, d)
		}
	}
	if o.ServerNow.IsZero() && len(o.Plan.Faults) > 0 && !job.Complete {
		return wait(status.ReasonClockUnknown, servertime.ErrUnknown.Error(), 200*time.Millisecond)
	}
	nextFault, due := decideFaults(o, w, noted.StartedAtUnixNanos)
	removes := nextFault.Verb == DoHealFault || nextFault.Verb == DoForceFault
	if due && !(job.Complete && removes) { // what is left to remove is decideHeal's, with its own deadline
		return nextFault
	}
	if job.Complete {
		return healMeanwhile(o, w, decideMeasured(o, w))
	}
	after := status.ProgressEvery
	if nextFault.After > 0 && nextFault.After < after {
		after = nextFault.After
	}
	return Decision{Verb: DoProgress, Workload: w.Name, Reason: "Measuring", After: after}
}

// whyLost is why a measuring Job failed. Its workers end by themselves before its deadline.
func whyLost(job state.Job) string {
	if job.TimedOut {
		return "its Job was not done by its deadline" + message.Because(job.Message)
	}
	return job.Message
}

func decideHeal(o *state.Observed, w *plan.Workload) Decision {
	healed := Decision{Verb: DoSetWorkload, Workload: w.Name, Condition: v1alpha1.ConditionFaultsHealed, Reason: "NoFaults", Message: "no faults were asked for"}
	var stay []string
	goesOn := false // a fault that lasts
	var healing []Decision
	for _, fault := range o.Plan.Faults {
		if fault.Workload != w.Name {
			continue
		}
		if awaitsClock(o, w, fault) {
			healing = append(healing, wait(status.ReasonClockUnknown, servertime.ErrUnknown.Error(), time.Second))
		} else if d, busy := healFault(o, fault); busy {
			healing = append(healing, d)
		} else if mayBeAtWork(o, fault.Name) && measuredFor(o, w) < doubtPatience {
			healing = append(healing, wait("Healing", fmt.Sprintf("waiting until fault %s is seen to be over", fault.Name), time.Second))
		}
		healed.Reason, healed.Message = "Healed", "all fault objects are gone"
		lasts := fault.Lasts() > 0
		switch {
		case mayBeAtWork(o, fault.Name):
			stay = append(stay, doubt(o, fault.Name))
		case o.Faults[fault.Name].Exists || lasts && o.UnlistedFaults[fault.Name]:
			stay = append(stay, fault.Name+message.Because(status.FindFault(o.Run, fault.Name).Message))
		default:
			continue
		}
		goesOn = goesOn || lasts
	}
	if len(healing) > 0 {
		return nextRemoval(o, healing)
	}
	if goesOn && w.Name != o.Plan.Workloads[len(o.Plan.Workloads)-1].Name {
		return Fail(status.ReasonFaultNotHealed, "a fault of workload %s would go on in the next one: %s", w.Name, message.List(stay, 8))
	}
	if len(stay) > 0 {
		healed.Reason, healed.Message = status.ReasonNotHealed, "faults could not be healed: "+message.List(stay, 8)
	}
	return healed
}
