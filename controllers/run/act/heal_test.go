package act

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
)

func TestTheEndOfAFaultHasABracket(t *testing.T) {
	injected := statetest.Epoch.Add(-10 * time.Second).UnixNano()
	heal := []decide.Decision{{Verb: decide.DoEndFault, Fault: "kill"}, {Verb: decide.DoNoteHealed, Fault: "kill"}}
	for name, c := range map[string]struct {
		object       faults.State
		acts         []decide.Decision
		after        int64
		clockUnknown bool
		reason       string
	}{
		"from just before it was healed":            {faults.State{Exists: true, Injected: true}, heal, statetest.Epoch.UnixNano(), false, ""},
		"from its injection, where it was over":     {faults.State{Exists: true}, heal, injected, false, ""},
		"from its injection, where its object went": {faults.State{}, heal[1:], injected, false, v1alpha1.FaultEndedEarly},
		"without an end that nobody saw":            {faults.State{}, heal[1:], injected, true, v1alpha1.FaultEndedEarly},
		"with what was wrong": {faults.State{Exists: true, Injected: true},
			[]decide.Decision{{Verb: decide.DoEndFault, Fault: "kill", Reason: v1alpha1.FaultPodReplaced, Message: "m-1 was replaced"}, heal[1]}, statetest.Epoch.UnixNano(), false, v1alpha1.FaultPodReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			noted := v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Target: "m-1", InjectedBeforeUnixNanos: injected}
			o := statetest.Given(statetest.Measuring(55*time.Second), statetest.WithFault, statetest.FaultIs(noted, c.object))
			o.Plan.Faults[0].DurationMillis = 10_000
			local := &statetest.Clocks{Local: statetest.Epoch}
			clock := &servertime.Clock{LocalNow: func() time.Time { return statetest.Epoch }}
			if !c.clockUnknown {
				statetest.Must(t, clock.Ask(t.Context(), local))
			}
			r := &Actor{Set: clients.Set{Results: local, Clock: clock}}
			for _, d := range c.acts {
				if _, err := r.Act(t.Context(), o, d); err != nil {
					t.Fatal(err)
				}
			}
			got := status.FindFault(o.Run, "kill")
			if got.State != v1alpha1.FaultHealed || got.EndedAfterUnixNanos != c.after || got.Reason != c.reason {
				t.Errorf("%+v, want an end after %d, and the reason %q", got, c.after, c.reason)
			}
			if seen := got.EndedBeforeUnixNanos >= got.EndedAfterUnixNanos; seen == c.clockUnknown {
				t.Errorf("its end was seen at %d", got.EndedBeforeUnixNanos)
			}
		})
	}
}

func TestTheInjectionIsNotedWithItsPods(t *testing.T) {
	clock := &servertime.Clock{LocalNow: func() time.Time { return statetest.Epoch }}
	local := &statetest.Clocks{Local: statetest.Epoch}
	statetest.Must(t, clock.Ask(t.Context(), local))
	o := statetest.Given(statetest.Measuring(55*time.Second), statetest.WithFault, statetest.FaultIs(
		v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Targets: []string{"m-1"}, Peers: []string{"m-0"}},
		faults.State{Exists: true, Injected: true, Pods: faults.Pods{"m-0": faults.Identity("a", "10.0.0.1"), "m-1": faults.Identity("b", "10.0.0.2")}}))
	if _, err := (&Actor{Set: clients.Set{Results: local, Clock: clock}}).Act(t.Context(), o, decide.Decision{Verb: decide.DoNoteInjected, Fault: "kill"}); err != nil {
		t.Fatal(err)
	}
	if got := status.FindFault(o.Run, "kill"); got.State != v1alpha1.FaultInjected || status.PodUID(got, "m-0") != "a" || status.PodUID(got, "m-1") != "b" {
		t.Errorf("%+v", got)
	}
}

func TestTheLineOfAFaultHasItsSidesAndItsEnd(t *testing.T) {
	o := statetest.Given(statetest.Measuring(55*time.Second), statetest.WithFault, statetest.FaultIs(v1alpha1.FaultStatus{
		State: v1alpha1.FaultHealed, Target: "m-1", Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"},
		RequestedUnixNanos: 1, InjectedAfterUnixNanos: 2, InjectedBeforeUnixNanos: 3, EndedAfterUnixNanos: 4, EndedBeforeUnixNanos: 5,
		Reason: v1alpha1.FaultPodReplaced, Message: "m-0",
	}, faults.State{}))
	o.Plan.Faults[0].DurationMillis = 10_000
	text, err := FaultLines(o)
	statetest.Must(t, err)
	var got bundle.FaultLine
	statetest.Must(t, json.Unmarshal(text, &got))
	want := bundle.FaultLine{
		Name: "kill", Workload: "a", Action: "ContainerKill", Role: "Leader",
		Target: "m-1", Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"}, DurationMillis: 10_000,
		RequestedUnixNanos: 1, InjectedAfterUnixNanos: 2, InjectedBeforeUnixNanos: 3, EndedAfterUnixNanos: 4, EndedBeforeUnixNanos: 5,
		Reason: bundle.FaultPodReplaced, Error: "m-0",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestABundleAndAStatusHaveTheSameReasons(t *testing.T) {
	for inBundle, inStatus := range map[string]string{
		bundle.FaultPodReplaced: v1alpha1.FaultPodReplaced,
		bundle.FaultEndedEarly:  v1alpha1.FaultEndedEarly,
	} {
		if inBundle != inStatus {
			t.Errorf("%q and %q", inBundle, inStatus)
		}
	}
}
