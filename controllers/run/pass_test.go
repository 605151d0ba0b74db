package run

import (
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/act"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
)

// pass is one pass of what is decided, and done.
func pass(t *testing.T, r *Reconciler, o *state.Observed) (again time.Duration, err error) {
	t.Helper()
	o.Asked = state.Answers{}
	d, err := r.decided(t.Context(), o)
	statetest.Must(t, err)
	return r.actor().Act(t.Context(), o, d)
}

// What could not be removed, and why, is said where people look, and told.
func TestAFaultThatCouldNotBeHealedIsNamed(t *testing.T) {
	const refusal = "the fault's object could not be deleted: denied by policy"
	o := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
		statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Message: refusal}, faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-3 * time.Minute)}))
	before := o.Run.DeepCopy()
	if _, err := pass(t, &Reconciler{}, o); err != nil {
		t.Fatal(err)
	}
	healed := status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionFaultsHealed)
	if healed == nil || healed.Status != "False" || healed.Message != "faults could not be healed: kill: "+refusal {
		t.Errorf("the condition is %+v", healed)
	}
	told := status.Story(before, o.Run)
	if len(told) != 1 || told[0].Type != "Warning" || told[0].Reason != "NotHealed" || !strings.HasSuffix(told[0].Message, "kill: "+refusal) {
		t.Errorf("told is %+v", told)
	}
	lines, err := act.FaultLines(o)
	if err != nil || !strings.Contains(string(lines), `"error":"`+refusal) {
		t.Errorf("the report is told %s (%v)", lines, err)
	}
}
