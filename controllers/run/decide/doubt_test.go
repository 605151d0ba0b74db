package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
)

// vanished is a partition of 10 s whose end was noted, and whose object is gone.
func vanished(o *state.Observed) {
	statetest.WithFault(o)
	o.Plan.Faults[0].Action, o.Plan.Faults[0].DurationMillis = "Partition", 10_000
	statetest.FaultIs(v1alpha1.FaultStatus{
		State: v1alpha1.FaultInjected, Target: "m-1", Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"},
		InjectedBeforeUnixNanos: statetest.Epoch.Add(-11 * time.Second).UnixNano(), EndedAfterUnixNanos: statetest.Epoch.Add(-time.Second).UnixNano(),
	}, faults.State{})(o)
	uidsNoted(o)
}

func TestAFaultWhoseObjectIsGoneIsOverWhenItsRulesAre(t *testing.T) {
	measuring, measured := statetest.Measuring(55*time.Second), statetest.WorkloadAt("a", v1alpha1.ConditionMeasured)
	there := podsAre(faults.Pods{"m-0": "a 10.0.0.1", "m-1": "b 10.0.0.2", "m-2": "c 10.0.0.3"})
	justNow := func(o *state.Observed) {
		measured(o)
		condition := status.WorkloadCondition(o.Run, "a", v1alpha1.ConditionMeasured)
		condition.LastTransitionTime.Time = statetest.Epoch.Add(-doubtPatience + time.Second)
	}
	for name, c := range map[string]struct {
		seen *state.Observed
		want Verb
		says string
	}{
		"its pods are looked at":                  {statetest.Given(measuring, vanished), DoAsk, "Pods"},
		"then its rules":                          {statetest.Given(measuring, vanished, there), DoAsk, "Rules"},
		"they are gone":                           {statetest.Given(measuring, vanished, there, rulesAre(faults.RulesGone)), DoNoteHealed, "kill"},
		"they are there":                          {statetest.Given(measuring, vanished, there, rulesAre(faults.RulesThere)), DoProgress, "a Measuring"},
		"nobody knows":                            {statetest.Given(measuring, vanished, there, rulesAre(faults.RulesUnknown)), DoProgress, "a Measuring"},
		"their record is gone":                    {statetest.Given(measuring, vanished, there, rulesAre(faults.RulesUntold)), DoProgress, "a Measuring"},
		"its pods are gone: nobody asks more":     {statetest.Given(measuring, vanished, podsAre(faults.Pods{})), DoNoteHealed, "kill"},
		"its pods were replaced":                  {statetest.Given(measuring, vanished, podsAre(faults.Pods{"m-0": "x", "m-1": "y", "m-2": "z"})), DoNoteHealed, "kill"},
		"it is waited for after the measurement":  {statetest.Given(measuring, vanished, justNow, there, rulesAre(faults.RulesThere)), DoWait, "Healing"},
		"and then named":                          {statetest.Given(measuring, vanished, measured, there, rulesAre(faults.RulesThere)), DoSetWorkload, "a FaultsHealed NotHealed"},
		"it doesn't go on in the next workload":   {statetest.Given(measuring, vanished, measured, there, rulesAre(faults.RulesThere), statetest.WithSecondWorkload), DoFail, "FaultNotHealed"},
		"its kind may be away, and its pods gone": {statetest.Given(measuring, vanished, unlisted, podsAre(faults.Pods{})), DoNoteHealed, "kill"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Decide(c.seen)
			if got.Verb != c.want || signature(got) != c.says {
				t.Errorf("decide = %s %q (%s), want %s %q", got.Verb, signature(got), got.Message, c.want, c.says)
			}
			if got.Reason == status.ReasonNotHealed && !strings.Contains(got.Message, "delete these pods") {
				t.Errorf("the message doesn't say what helps: %q", got.Message)
			}
		})
	}
}
