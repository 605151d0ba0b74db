package act

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// The Job's age is the API server's word, and its clock may be an hour behind.
func TestArmingIsTimedByOneClock(t *testing.T) {
	o := statetest.Given(statetest.Deployed, statetest.WorkloadAt("a", v1alpha1.ConditionLoaded), statetest.Job("measure-a", state.Job{Age: time.Hour}))
	arming(o.Run, &o.Plan.Workloads[0])
	stampOf := status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionArmed)
	for _, c := range []struct {
		after time.Duration
		want  decide.Verb
	}{{time.Second, decide.DoWait}, {decide.ArmDeadline - time.Second, decide.DoWait}, {decide.ArmDeadline + time.Second, decide.DoFail}} {
		o.Now = stampOf.LastTransitionTime.Add(c.after)
		if got := decide.Decide(o); got.Verb != c.want {
			t.Errorf("after %s: %s %s", c.after, got.Verb, got.Message)
		}
	}
}
