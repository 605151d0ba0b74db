package decide

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
)

func TestAStepFailsOnlyARunWhoseFaultsAreStillToCome(t *testing.T) {
	moved := func(by time.Duration) statetest.Situation {
		return func(o *state.Observed) { o.ClockMoved, o.ServerNow = by, o.ServerNow.Add(by) }
	}
	healed := statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})
	for _, c := range []struct {
		name string
		seen *state.Observed
		want Verb
		says string
	}{
		{"ahead, without faults", statetest.Given(statetest.Measuring(20*time.Second), moved(time.Hour)), DoProgress, "a Measuring"},
		{"back, without faults", statetest.Given(statetest.Measuring(20*time.Second), moved(-time.Hour)), DoProgress, "a Measuring"},
		{"ahead, before the fault", statetest.Given(statetest.Measuring(20*time.Second), statetest.WithFault, moved(time.Hour)), DoFail, status.ReasonClockStepped},
		{"back, before the fault", statetest.Given(statetest.Measuring(20*time.Second), statetest.WithFault, moved(-time.Hour)), DoFail, status.ReasonClockStepped},
		{"back, and the workers are done", statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, moved(-time.Hour), statetest.Job("measure-a", state.Job{Complete: true})), DoFail, status.ReasonClockStepped},
		{"ahead, after the fault", statetest.Given(statetest.Measuring(60*time.Second), statetest.WithFault, healed, moved(time.Hour)), DoProgress, "a Measuring"},
		{"ahead, and a worker is lost", statetest.Given(statetest.Measuring(20*time.Second), statetest.WithFault, moved(time.Hour), statetest.Job("measure-a", state.Job{Failed: true})), DoFail, "MeasurementLost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Decide(c.seen)
			if got.Verb != c.want || signature(got) != c.says {
				t.Errorf("decide = %s %q (%s), want %s %q", got.Verb, signature(got), got.Message, c.want, c.says)
			}
			if got.Reason == status.ReasonClockStepped && !strings.Contains(got.Message, "moved apart by 1h0m0s") {
				t.Errorf("the message doesn't say by how much: %s", got.Message)
			}
		})
	}
}

// A run fails for what was tried in vain, not for the time that went by without an attempt.
func TestAnUnknownClockIsAskedForBeforeARunFails(t *testing.T) {
	notedAgo := func(ago time.Duration) statetest.Situation {
		return func(o *state.Observed) {
			statetest.WorkloadAt("a", v1alpha1.ConditionMeasured)(o)
			noted := status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionMeasured)
			noted.Status, noted.Reason, noted.LastTransitionTime = "Unknown", status.ReasonClockUnknown, metav1.NewTime(statetest.Epoch.Add(-ago))
		}
	}
	began := func(ago time.Duration) statetest.Situation {
		return func(o *state.Observed) { o.Began = statetest.Epoch.Add(-ago) }
	}
	unknown := func(o *state.Observed) { o.ServerNow = time.Time{} }
	stays := statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: statetest.Epoch.Add(-time.Minute)})
	healed := statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})
	for _, c := range []struct {
		name   string
		change []statetest.Situation
		want   Verb
	}{
		{"tried all the time", []statetest.Situation{notedAgo(6 * time.Minute), began(time.Hour), unknown, healed}, DoFail},
		{"the controller was away", []statetest.Situation{notedAgo(time.Hour), began(time.Second), unknown, healed}, DoWait},
		{"and has tried since", []statetest.Situation{notedAgo(time.Hour), began(6 * time.Minute), unknown, healed}, DoFail},
		{"it is known again, and a fault stays", []statetest.Situation{notedAgo(6 * time.Minute), began(time.Hour), stays}, DoSetWorkload},
		{"it is known again", []statetest.Situation{notedAgo(6 * time.Minute), began(time.Hour), healed}, DoSetWorkload},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := statetest.Given(append([]statetest.Situation{statetest.Measuring(10 * time.Minute), statetest.WithFault, statetest.Job("measure-a", state.Job{Complete: true})}, c.change...)...)
			if got := Decide(o); got.Verb != c.want {
				t.Errorf("decide = %s %s %s, want %s", got.Verb, got.Reason, got.Message, c.want)
			}
		})
	}
}
