package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
)

func TestAnOwnChartIsReadyWhenItsResourcesSaySo(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*state.Observed)
		want   Verb
		says   string
	}{
		"all is well":       {func(*state.Observed) {}, DoStoreReady, "all members are ready"},
		"a resource is not": {func(o *state.Observed) { o.Store.Unready = "Hazelcast x: pending" }, DoWait, "the observer sees them: Hazelcast x: pending"},
		"nor at the deadline": {func(o *state.Observed) {
			o.Store.Unready = "Hazelcast x: pending"
			o.Now = o.Now.Add(time.Hour)
		}, DoFail, "members were ready after 10m0s: Hazelcast x: pending"},
		"a resource that was never made, at the deadline": {func(o *state.Observed) {
			o.Store.Release, o.Store.Unready, o.Store.Trouble = state.ReleaseBroken, "there is no Hazelcast x yet", "pod observer: Error"
			statetest.Condition(v1alpha1.ConditionStoreReady, "Unknown", status.ReasonInstallFailed, 0)(o)
			o.Run.Status.Conditions[len(o.Run.Status.Conditions)-1].Message = "the release could not be installed yet: a Service exists"
			o.Now = o.Now.Add(time.Hour)
		}, DoFail, "members were ready after 10m0s: the release could not be installed yet: a Service exists"},
		"an installation that is removed": {func(o *state.Observed) {
			o.Store.Release, o.StoreLeft = state.ReleaseAbsent, 1
			statetest.Condition(v1alpha1.ConditionStoreReady, "Unknown", status.ReasonInstallFailed, 0)(o)
			o.Run.Status.Conditions[len(o.Run.Status.Conditions)-1].Message = "a Service exists"
		}, DoWait, status.ClearingMessage + ": a Service exists"},
		"one that is still removed at the deadline": {func(o *state.Observed) {
			o.Store = state.Store{Release: state.ReleaseAbsent, ObserverReady: true}
			o.StoreLeft = 1
			statetest.Condition(v1alpha1.ConditionStoreReady, "Unknown", status.ReasonClearing, 0)(o)
			o.Memory.InstallTrouble = "a Service exists"
			o.Now = o.Now.Add(time.Hour)
		}, DoFail, "members were ready after 10m0s: a Service exists"},
		"the observer doesn't see ready members": {func(o *state.Observed) { o.Store.ObserverReady = false }, DoWait, ""},
		"what it saw at the deadline": {func(o *state.Observed) {
			o.Store.ObserverReady = false
			statetest.Condition(v1alpha1.ConditionStoreReady, "Unknown", status.ReasonNotSteady, 0)(o)
			o.Run.Status.Conditions[len(o.Run.Status.Conditions)-1].Message = "they ask for a password"
			o.Now = o.Now.Add(time.Hour)
		}, DoFail, "and the observer was not ready: they ask for a password"},
		"a member that isn't ready": {func(o *state.Observed) { o.Store.ReadyMembers, o.Store.ObserverReady = 1, false }, DoWait, DeployingMessage},
		"its faults can't hit the members": {func(o *state.Observed) {
			o.Store.Unfit = state.Refusal{Reason: "ContainerMissing", Message: "no container"}
		}, DoFail, "no container"},
		"it waits for what is being removed": {func(o *state.Observed) { o.Store.Release, o.StoreLeft = state.ReleaseAbsent, 1 }, DoWait, "is being removed"},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.OwnChart(c.change))
			d := Decide(o)
			if asks := d.Question == state.AskSample; asks != (name == "the observer doesn't see ready members") {
				t.Errorf("the observer is asked: %v", asks)
			} else if asks {
				o.Asked.Sample = &state.MemberSample{Trouble: "it is starting"}
				d = Decide(o)
			}
			if d.Verb != c.want || !strings.Contains(d.Message, c.says) {
				t.Errorf("%s, %q, want %s with %q", d.Verb, d.Message, c.want, c.says)
			}
			if d.Verb == DoWait && (d.After <= 0 || d.After > ownChartLook) {
				t.Errorf("it looks again after %v, and nothing tells of an operator's pods", d.After)
			}
		})
	}
}
