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

func TestEndpointsWithRulesOfAnEndedFaultAreNotMeasured(t *testing.T) {
	left := func(left state.LeftRules) statetest.Situation {
		return func(o *state.Observed) { o.Asked.Left = &left }
	}
	rules := left(state.LeftRules{Faults: map[string][]string{"m-1": {"bench/old-cut"}, "m-0": {"bench/old-cut", "bench/mine"}}})
	late := func(o *state.Observed) { o.Now = o.Now.Add(11 * time.Minute) }
	unwell := func(o *state.Observed) { o.Store.ObserverReady = false }
	unnamed := func(o *state.Observed) {
		for i := range o.Run.Spec.Store.Endpoints {
			o.Run.Spec.Store.Endpoints[i].Pod = ""
		}
	}
	for name, c := range map[string]struct {
		situations []statetest.Situation
		verb       Verb
		reason     string
		says       string
	}{
		"it is asked":           {nil, DoAsk, "", ""},
		"of named pods alone":   {[]statetest.Situation{unnamed}, DoStoreReady, "", "sees all members"},
		"also of unwell ones":   {[]statetest.Situation{rules, unwell}, DoWait, status.ReasonNotSteady, "still has rules"},
		"unwell without them":   {[]statetest.Situation{left(state.LeftRules{}), unwell}, DoAsk, "", ""},
		"there are none":        {[]statetest.Situation{left(state.LeftRules{})}, DoStoreReady, "", "sees all members"},
		"there are none, late":  {[]statetest.Situation{left(state.LeftRules{}), late}, DoStoreReady, "", "sees all members"},
		"there are some":        {[]statetest.Situation{rules}, DoWait, status.ReasonNotSteady, "the pod m-0 still has rules of bench/old-cut, bench/mine, the pod m-1 still has rules of bench/old-cut: Chaos Mesh"},
		"nobody can tell":       {[]statetest.Situation{left(state.LeftRules{Trouble: "forbidden"})}, DoWait, status.ReasonNotSteady, "forbidden"},
		"nobody can tell, late": {[]statetest.Situation{left(state.LeftRules{Trouble: "forbidden"}), late}, DoFail, "RulesUnknown", "forbidden"},
		"there are some, late":  {[]statetest.Situation{rules, late}, DoFail, "RulesLeft", "delete these pods"},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Accepted, statetest.Endpoints, statetest.Observing)
			o.Store.ObserverReady = true
			for i := range o.Run.Spec.Store.Endpoints {
				o.Run.Spec.Store.Endpoints[i].Pod = o.Plan.Store.Members[i].Name
			}
			for _, situation := range c.situations {
				situation(o)
			}
			d := Decide(o)
			if d.Verb != c.verb || d.Reason != c.reason || !strings.Contains(d.Message, c.says) {
				t.Errorf("%s %s %q", d.Verb, d.Reason, d.Message)
			}
			if waits := c.verb == DoWait; waits && (d.Condition != v1alpha1.ConditionStoreReady || d.After <= 0 || d.After > endpointsLook) {
				t.Errorf("it waits %s, and sets %q", d.After, d.Condition)
			}
		})
	}
}
