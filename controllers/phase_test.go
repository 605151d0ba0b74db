package controllers

import (
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func TestThePhaseFollowsTheSteps(t *testing.T) {
	for _, c := range []struct {
		seen *observed
		want string
	}{
		{given(), "Pending"},
		{given(accepted), "Deploying"},
		{given(deployed), "Loading"}, // no workload has a condition yet
		{given(deployed, workloadAt("a", v1alpha1.ConditionLoaded)), "Arming"},
		{given(measuring(0)), "Measuring"},
		{given(deployed, workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured)), "Healing"},
		{given(deployed, workloadAt("a", v1alpha1.ConditionLoaded, v1alpha1.ConditionArmed, v1alpha1.ConditionMeasured, v1alpha1.ConditionFaultsHealed)), "Collecting"},
		{given(afterFaults, wholeIs("Unknown", 0)), "Recovering"},
		{given(afterFaults, wholeIs("True", 0)), "Loading"},
		{given(afterFaults, wholeIs("False", 0)), "Loading"},
	} {
		if got := phase(c.seen.Run, decision{}); got != c.want {
			t.Errorf("the phase is %s, want %s: %+v", got, c.want, c.seen.Run.Status)
		}
	}
}
