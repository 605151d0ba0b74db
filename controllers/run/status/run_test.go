package status

import (
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestWhoWaitsForATurn(t *testing.T) {
	cases := []struct {
		name string
		seen *state.Observed
		want bool
	}{
		{"a run that nobody has looked at", statetest.Given(), true},
		{"a queued one", statetest.Given(statetest.Condition(v1alpha1.ConditionAccepted, "Unknown", "Queued", 0)), true},
		{"one whose turn it is", statetest.Given(statetest.Accepted), false},
		{"a refused one", statetest.Given(statetest.Condition(v1alpha1.ConditionAccepted, "False", "UnknownStore", 0), statetest.Condition(v1alpha1.ConditionFailed, "True", "UnknownStore", 0)), false},
		{"a deleted one", statetest.Given(statetest.Deleting), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Waits(c.seen.Run); got != c.want {
				t.Errorf("waits = %v, want %v", got, c.want)
			}
		})
	}
}
