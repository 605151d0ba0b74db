package state_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestAMemoryHasACopyThatChangesAlone(t *testing.T) {
	before := state.Memory{}
	before.Deleting("kill", "an-earlier-object", statetest.Epoch.Add(-time.Hour))
	after := before.Clone()
	after.Deleting("kill", "a-fault", statetest.Epoch)
	if got := before.Fault("kill", "an-earlier-object").DeletingSince; !got.Equal(statetest.Epoch.Add(-time.Hour)) {
		t.Errorf("before it was deleted since %s", got)
	}
	if got := after.Fault("kill", "a-fault").DeletingSince; !got.Equal(statetest.Epoch) {
		t.Errorf("an object that was made anew is deleted since %s", got)
	}
}

func TestTheTimeOfATroubleCountsWhileItStands(t *testing.T) {
	type seen struct {
		kind  state.TroubleKind
		words string
	}
	const none = state.TroubleKind("")
	for _, c := range []struct {
		name  string
		seen  []seen // a second apart; the last at 9 s
		want  seen
		since int // seconds
	}{
		{"it is new", []seen{{state.Unschedulable, "1 of 3"}}, seen{state.Unschedulable, "1 of 3"}, 9},
		{"it stands, and its words stay", []seen{{state.Unschedulable, "1 of 3"}, {state.Unschedulable, "2 of 3"}}, seen{state.Unschedulable, "1 of 3"}, 8},
		{"it went, and came back", []seen{{state.Unschedulable, "1"}, {none, ""}, {state.Unschedulable, "2"}}, seen{state.Unschedulable, "2"}, 9},
		{"it became another", []seen{{state.Unschedulable, "1"}, {state.ImageNotPulled, "2"}}, seen{state.ImageNotPulled, "2"}, 9},
		{"a missing image stands between the tries", []seen{{state.ImageNotFound, "why"}, {state.ImageBackOff, "back-off"}, {state.ImageNotFound, "again"}}, seen{state.ImageNotFound, "why"}, 7},
		{"what isn't known is a pull that failed", []seen{{state.ImageBackOff, "back-off"}}, seen{state.ImageNotPulled, "back-off"}, 9},
		{"until it is", []seen{{state.ImageBackOff, "back-off"}, {state.ImageNotFound, "why"}}, seen{state.ImageNotFound, "why"}, 9},
		{"a registry that finds it and throttles", []seen{{state.ImageNotFound, "1"}, {state.ImageNotPulled, "429"}, {state.ImageNotFound, "2"}}, seen{state.ImageNotFound, "2"}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			var memory state.Memory
			var last state.PodTrouble
			for i, s := range c.seen {
				now := statetest.Epoch.Add(time.Duration(10-len(c.seen)+i) * time.Second)
				var troubles []state.PodTrouble
				if s.kind != none {
					troubles = []state.PodTrouble{{Of: "pod", Kind: s.kind, Words: s.words}}
				}
				memory.Date(now, nil, troubles)
				if troubles != nil {
					last = troubles[0]
				}
			}
			if last.Kind != c.want.kind || last.Words != c.want.words || !last.Since.Equal(statetest.Epoch.Add(time.Duration(c.since)*time.Second)) {
				t.Errorf("%s %q since %s, want %s %q since %d s", last.Kind, last.Words, last.Since.Sub(statetest.Epoch), c.want.kind, c.want.words, c.since)
			}
		})
	}
}

func TestEachPodHasItsOwnTime(t *testing.T) {
	var memory state.Memory
	at := func(second int, pods ...string) map[types.UID]time.Duration {
		var troubles []state.PodTrouble
		for _, pod := range pods {
			troubles = append(troubles, state.PodTrouble{Of: types.UID(pod), Kind: state.Unschedulable})
		}
		memory.Date(statetest.Epoch.Add(time.Duration(second)*time.Second), troubles)
		since := map[types.UID]time.Duration{}
		for _, trouble := range troubles {
			since[trouble.Of] = trouble.Since.Sub(statetest.Epoch)
		}
		return since
	}
	at(0, "a")
	if got := at(5, "a", "b"); got["a"] != 0 || got["b"] != 5*time.Second {
		t.Errorf("%v", got)
	}
}
