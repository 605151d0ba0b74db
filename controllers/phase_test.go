package controllers

import (
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// asked are the workloads of the spec, which a status follows.
func asked(names ...string) situation {
	return func(o *observed) {
		for _, name := range names {
			o.Run.Spec.Workloads = append(o.Run.Spec.Workloads, v1alpha1.WorkloadSpec{Name: name})
		}
	}
}

func askedFault(o *observed) { o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}} }

var untilMeasured = []string{v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured}

func TestEachStepHasAPhaseAndTheWorkloadWhoseTurnItIs(t *testing.T) {
	armed := workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed)
	arming := func(o *observed) {
		setWorkload(o.Run, decision{Workload: "a", Condition: v1alpha1.ConditionArmed, Reason: reasonArming}, "Unknown")
	}
	through := workloadAt("a", append(untilMeasured, v1alpha1.ConditionFaultsHealed)...)
	starting := condition(v1alpha1.ConditionStoreReady, "Unknown", "Deploying", 0)
	queued := condition(v1alpha1.ConditionAccepted, "Unknown", reasonQueued, 0)
	tearing := condition(v1alpha1.ConditionCleanedUp, "Unknown", reasonTearingDown, 0)
	gone := condition(v1alpha1.ConditionCleanedUp, "True", reasonAllGone, 0)
	failing := condition(conditionFailing, "True", "MeasurementLost", 0)
	for _, c := range []struct {
		seen            *observed
		phase, workload string
	}{
		{given(), "Pending", "a"},
		{given(planned, queued), "Queued", "a"},
		{given(accepted), "Deploying", "a"},
		{given(accepted, starting), "Starting", "a"},
		{given(deployed), "Loading", "a"},
		{given(deployed, workloadAt("a", v1alpha1.ConditionLoaded)), "Loaded", "a"},
		{given(deployed, workloadAt("a", v1alpha1.ConditionLoaded), arming), "Arming", "a"},
		{given(deployed, armed), "Armed", "a"},
		{given(measuring(0)), "Measuring", "a"},
		{given(deployed, workloadAt("a", untilMeasured...), func(o *observed) { ensureWorkload(o.Run, "a").StartedAtUnixNanos = 1 }), "Healing", "a"},
		{given(deployed, through), "Loading", "b"},
		{given(afterFaults, askedFault), "Healed", "b"},
		{given(afterFaults, wholeIs("Unknown", 0)), "Recovering", "b"},
		{given(afterFaults, wholeIs("True", 0)), "Loading", "b"},
		{given(afterFaults, wholeIs("False", 0)), "Loading", "b"},
		{given(deployed, through, workloadAt("b", append(untilMeasured, v1alpha1.ConditionFaultsHealed)...)), "Collecting", "b"},
		{given(reported), "Reported", "b"},
		{given(reported, tearing), "TearingDown", "b"},
		{given(reported, gone), "CleanedUp", "b"},
		{given(reported, gone, condition(v1alpha1.ConditionComplete, "True", "Finished", 0)), "Complete", "b"},
		{given(measuring(0), failing), "Failing", "a"},
		{given(measuring(0), failing, tearing), "TearingDown", "a"},
		{given(measuring(0), failing, gone, condition(v1alpha1.ConditionFailed, "True", "MeasurementLost", 0)), "Failed", "a"},
		{given(measuring(0), deleting), "Deleting", "a"},
	} {
		asked("a", "b")(c.seen)
		summarize(c.seen.Run)
		if got := c.seen.Run.Status; got.Phase != c.phase || got.Workload != c.workload {
			t.Errorf("the phase is %s of workload %s, want %s of %s", got.Phase, got.Workload, c.phase, c.workload)
		}
	}
}
