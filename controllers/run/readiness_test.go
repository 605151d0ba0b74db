package run

import (
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

// What the observer knows of members whose pods are ready is said at the deadline, with the store and
// what can be done.
func TestAStoreThatIsNeverSteadySaysWhichMemberAndWhy(t *testing.T) {
	standing := func(o *state.Observed) { o.Store = state.Store{Release: state.ReleaseDeployed, ReadyMembers: 3} }
	for _, c := range []struct {
		name         string
		seen         *state.Observed
		reason, says string
	}{
		{"of the catalog", statetest.Given(statetest.Accepted, standing), "DeployTimedOut",
			"store etcd: 3 of 3 members were ready after 10m0s, and the observer was not ready: m-1 is not well: Unavailable: connection refused " +
				"(raise spec.timeouts.deploy if they are only slow; spec.retain: OnFailure keeps them, for a look at their logs)"},
		{"at endpoints", statetest.Given(statetest.Accepted, statetest.Endpoints, statetest.Observing), "EndpointsNotSteady",
			"store etcd at spec.store.endpoints: the observer has not seen all 3 members well within 10m0s: m-1 is not well: Unavailable: connection refused " +
				"(correct the addresses, see to the members, or raise spec.timeouts.deploy if they are only slow)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.seen
			if d := decide.Decide(o); d.Question != state.AskSample {
				t.Fatalf("it decides %s %s", d.Verb, d.Question)
			}
			if _, err := pass(t, observingWith(statetest.UnwellLine(), nil), o); err != nil {
				t.Fatal(err)
			}
			ready := decide.NotedTrouble(o)
			if !strings.Contains(ready, "m-1 is not well") {
				t.Fatalf("meanwhile it says %q, %+v", ready, o.Run.Status.Conditions)
			}
			o.Now = o.Now.Add(time.Hour)
			if d := decide.Decide(o); d.Reason != c.reason || d.Message != c.says {
				t.Errorf("it decides %s: %s", d.Reason, d.Message)
			}
		})
	}
}

// One that is about to be ready has nothing to say.
func TestNothingIsSaidOfMembersThatAreWell(t *testing.T) {
	o := statetest.Given(statetest.Accepted, func(o *state.Observed) { o.Store = state.Store{Release: state.ReleaseDeployed, ReadyMembers: 3} })
	well := statetest.UnwellLine()
	well.Steady = true
	if _, err := pass(t, observingWith(well, nil), o); err != nil {
		t.Fatal(err)
	}
	if decide.NotedTrouble(o) != "" {
		t.Errorf("it says %q", decide.NotedTrouble(o))
	}
}
