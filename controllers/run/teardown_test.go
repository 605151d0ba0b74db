package run

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/faults"
)

// What was refused an hour ago, while the workload was measured, is tried when it is over.
func TestARefusedDeletionIsTriedAgainAfterTheMeasurement(t *testing.T) {
	o := statetest.Given(statetest.Measuring(80*time.Minute), statetest.WithFault, statetest.Job("measure-a", state.Job{Complete: true}),
		statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true, UID: "a-fault", RefusedSince: statetest.Epoch.Add(-time.Hour)}))
	r := &Reconciler{Set: clients.Set{Client: statetest.Undeletable{}, Results: &statetest.Clocks{Local: statetest.Epoch}, Clock: &servertime.Clock{}}}
	o.Memory.Refused("kill", "a-fault", statetest.Epoch.Add(-time.Hour))
	if _, err := pass(t, r, o); err != nil || !status.WorkloadIs(o.Run, "a", v1alpha1.ConditionMeasured) {
		t.Fatalf("it is not measured: %v", err)
	}
	for after, want := range []decide.Verb{decide.DoHealFault, decide.DoHealFault, decide.DoSetWorkload} {
		o.Now = statetest.Epoch.Add(time.Duration(after) * (decide.ForceDeadline/2 + time.Second))
		found := o.Faults["kill"]
		found.RefusedSince = o.Memory.Fault("kill", found.UID).RefusedSince
		o.Faults["kill"] = found
		d := decide.Decide(o)
		if d.Verb != want {
			t.Fatalf("after %s: %s %s, want %s", o.Now.Sub(statetest.Epoch), d.Verb, d.Message, want)
		}
		if _, err := r.actor().Act(t.Context(), o, d); err != nil {
			t.Fatal(err)
		}
	}
}
