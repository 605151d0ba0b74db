package status

import (
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestEachStepHasAPhaseAndTheWorkloadWhoseTurnItIs(t *testing.T) {
	armed := statetest.WorkloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed)
	arming := func(o *state.Observed) {
		meta.SetStatusCondition(&EnsureWorkload(o.Run, "a").Conditions, metav1.Condition{Type: v1alpha1.ConditionArmed, Status: "Unknown", Reason: ReasonArming})
	}
	through := statetest.WorkloadAt("a", append(statetest.UntilMeasured, v1alpha1.ConditionFaultsHealed)...)
	starting := statetest.Condition(v1alpha1.ConditionStoreReady, "Unknown", "Deploying", 0)
	queued := statetest.Condition(v1alpha1.ConditionAccepted, "Unknown", ReasonQueued, 0)
	tearing := statetest.Condition(v1alpha1.ConditionCleanedUp, "Unknown", ReasonTearingDown, 0)
	gone := statetest.Condition(v1alpha1.ConditionCleanedUp, "True", ReasonAllGone, 0)
	failing := statetest.Condition(ConditionFailing, "True", "MeasurementLost", 0)
	for _, c := range []struct {
		seen            *state.Observed
		phase, workload string
	}{
		{statetest.Given(), "Pending", "a"},
		{statetest.Given(statetest.Planned, queued), "Queued", "a"},
		{statetest.Given(statetest.Accepted), "Deploying", "a"},
		{statetest.Given(statetest.Accepted, starting), "Starting", "a"},
		{statetest.Given(statetest.Deployed), "Loading", "a"},
		{statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded)), "Loaded", "a"},
		{statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), arming), "Arming", "a"},
		{statetest.Given(statetest.Deployed, armed), "Armed", "a"},
		{statetest.Given(statetest.Measuring(0)), "Measuring", "a"},
		{statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", statetest.UntilMeasured...), func(o *state.Observed) { EnsureWorkload(o.Run, "a").StartedAtUnixNanos = 1 }), "Healing", "a"},
		{statetest.Given(statetest.Deployed, through), "Loading", "b"},
		{statetest.Given(statetest.AfterFaults, statetest.AskedFault), "Healed", "b"},
		{statetest.Given(statetest.AfterFaults, statetest.WholeIs("Unknown", 0)), "Recovering", "b"},
		{statetest.Given(statetest.AfterFaults, statetest.WholeIs("True", 0)), "Loading", "b"},
		{statetest.Given(statetest.AfterFaults, statetest.WholeIs("False", 0)), "Loading", "b"},
		{statetest.Given(statetest.Deployed, through, statetest.WorkloadAt("b", append(statetest.UntilMeasured, v1alpha1.ConditionFaultsHealed)...)), "Collecting", "b"},
		{statetest.Given(statetest.Reported), "Reported", "b"},
		{statetest.Given(statetest.Reported, tearing), "TearingDown", "b"},
		{statetest.Given(statetest.Reported, gone), "CleanedUp", "b"},
		{statetest.Given(statetest.Reported, gone, statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0)), "Complete", "b"},
		{statetest.Given(statetest.Measuring(0), failing), "Failing", "a"},
		{statetest.Given(statetest.Measuring(0), failing, tearing), "TearingDown", "a"},
		{statetest.Given(statetest.Measuring(0), failing, gone, statetest.Condition(v1alpha1.ConditionFailed, "True", "MeasurementLost", 0)), "Failed", "a"},
		{statetest.Given(statetest.Measuring(0), statetest.Deleting), "Deleting", "a"},
	} {
		statetest.Asked("a", "b")(c.seen)
		Summarize(c.seen.Run)
		if got := c.seen.Run.Status; got.Phase != c.phase || got.Workload != c.workload {
			t.Errorf("the phase is %s of workload %s, want %s of %s", got.Phase, got.Workload, c.phase, c.workload)
		}
	}
}
