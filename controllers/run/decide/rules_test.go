package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// partitioned is a partition that was injected, and whose object is as it is.
func partitioned(object faults.State) statetest.Situation {
	return func(o *state.Observed) {
		o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "Partition"}}
		statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Target: "m-1", Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"}}, object)(o)
	}
}

// rulesAre is what stays of the partition in each of its pods.
func rulesAre(rules faults.Rules) statetest.Situation {
	return func(o *state.Observed) {
		remains := faults.Remains{Rules: rules}
		if rules == faults.RulesUnknown {
			remains.Trouble = "no such path"
		}
		o.Asked.Rules = map[string]map[string]faults.Remains{"kill": {"m-0": remains, "m-1": remains, "m-2": remains}}
	}
}

func uidsNoted(o *state.Observed) {
	status.NotePods(status.EnsureFault(o.Run, "kill"), faults.Pods{"m-0": "a", "m-1": "b", "m-2": "c"})
}

func TestAFaultThatLeavesRulesIsRemovedByForceOnlyWhenItsPodsAreGone(t *testing.T) {
	then := faults.Pods{"m-0": "a", "m-1": "b", "m-2": "c"}
	held := faults.State{Exists: true, Injected: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-90 * time.Second), Pods: then}
	strange := held
	strange.Sides = faults.Sides{Targets: []string{"m-1"}}
	for name, c := range map[string]struct {
		object faults.State
		now    faults.Pods
		force  bool
	}{
		"nobody has looked":            {held, nil, false},
		"all are there":                {held, then, false},
		"one of the other side is":     {held, faults.Pods{"m-0": "", "m-1": "", "m-2": "c"}, false},
		"all are gone":                 {held, faults.Pods{"m-0": "", "m-1": "", "m-2": ""}, true},
		"all were replaced":            {held, faults.Pods{"m-0": "x", "m-1": "y", "m-2": "z"}, true},
		"all have another address":     {held, faults.Pods{"m-0": "a 10.0.0.9", "m-1": "b 10.0.0.8", "m-2": "c 10.0.0.7"}, false},
		"its object names others":      {strange, faults.Pods{"m-0": "", "m-1": "", "m-2": ""}, false},
		"a pod that nobody noted is":   {faults.State{Exists: true, Deleting: true, DeletingSince: held.DeletingSince}, faults.Pods{"m-0": "", "m-1": "y", "m-2": ""}, false},
		"it is held for a short while": {faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch, Pods: then}, faults.Pods{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Reported, partitioned(c.object), podsAre(c.now))
			if got := Removal(o, "kill"); (got.Verb == DoForceFault) != c.force {
				t.Errorf("%s %q", got.Verb, got.Message)
			}
		})
	}
}

func TestARunIsNotCleanedUpWhileARuleMayBeInAPod(t *testing.T) {
	there, gone := faults.Pods{"m-0": "a", "m-1": "b", "m-2": "c"}, faults.Pods{"m-0": "", "m-1": "", "m-2": ""}
	replaced := faults.Pods{"m-0": "x", "m-1": "y", "m-2": "z"}
	cleared := func(changes ...statetest.Situation) *state.Observed {
		return statetest.Given(append([]statetest.Situation{statetest.Reported, statetest.NoPlan, partitioned(faults.State{})}, changes...)...)
	}
	podsAre := func(pods faults.Pods) statetest.Situation {
		return func(o *state.Observed) {
			podsAre(pods)(o)
			rulesAre(faults.RulesThere)(o)
		}
	}
	timedOut := statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TimedOut", time.Hour)
	ended := statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", time.Hour)
	for name, c := range map[string]struct {
		seen *state.Observed
		want Verb
		says string
	}{
		"its pods are looked at":      {cleared(), DoAsk, "Pods"},
		"it waits":                    {cleared(podsAre(there)), DoTearDown, "CleanedUp TearingDown"},
		"until its time is over":      {cleared(podsAre(there), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", 6*time.Minute)), DoNoteGone, "TimedOut"},
		"and is tried again":          {cleared(podsAre(there), timedOut, ended), DoTidy, ""},
		"after a look at the pods":    {cleared(timedOut, ended), DoAsk, "Pods"},
		"until the pods are gone":     {cleared(podsAre(gone), timedOut, ended), DoNoteGone, "AllGone"},
		"or were gone from the first": {cleared(podsAre(gone)), DoNoteGone, "AllGone"},
		"or were replaced":            {cleared(podsAre(replaced), uidsNoted), DoNoteGone, "AllGone"},
		"by pods that nobody knows":   {cleared(podsAre(replaced)), DoTearDown, "CleanedUp TearingDown"},
		"but for one":                 {cleared(podsAre(faults.Pods{"m-0": "x", "m-1": "y", "m-2": "c"}), uidsNoted), DoTearDown, "CleanedUp TearingDown"},
		"until its rules are gone":    {cleared(podsAre(there), rulesAre(faults.RulesGone), timedOut, ended), DoNoteGone, "AllGone"},
		"which must be known":         {cleared(podsAre(there), rulesAre(faults.RulesUnknown)), DoTearDown, "CleanedUp TearingDown"},
		"and isn't without a record":  {cleared(podsAre(there), rulesAre(faults.RulesUntold)), DoTearDown, "CleanedUp TearingDown"},
		"unless it was never injected": {cleared(podsAre(there), rulesAre(faults.RulesUntold), func(o *state.Observed) {
			status.EnsureFault(o.Run, "kill").State = v1alpha1.FaultNotInjected
		}), DoNoteGone, "AllGone"},
		"a fault that was healed leaves nothing": {cleared(podsAre(there), func(o *state.Observed) {
			status.EnsureFault(o.Run, "kill").State = v1alpha1.FaultHealed
		}), DoNoteGone, "AllGone"},
		"a store that is kept is waited for": {cleared(podsAre(there), statetest.Kept, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", "TearingDown", time.Second)),
			DoTearDown, "CleanedUp TearingDown"},
		"a kill leaves nothing": {cleared(func(o *state.Observed) { o.Run.Spec.Faults[0].Action = "ContainerKill" }), DoNoteGone, "AllGone"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Decide(c.seen)
			if got.Verb != c.want || signature(got) != c.says {
				t.Errorf("decide = %s %q (%s), want %s %q", got.Verb, signature(got), got.Message, c.want, c.says)
			}
			if got.Reason == status.ReasonTimedOut && !strings.Contains(got.Message, "fault kill") {
				t.Errorf("the message doesn't name the fault: %q", got.Message)
			}
		})
	}
}

func TestPodsAreLookedAtBeforeAnythingIsForced(t *testing.T) {
	held := faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-90 * time.Second)}
	left := statetest.Left("NetworkChaos kill")
	for name, c := range map[string]struct {
		seen *state.Observed
		want Verb
	}{
		"a partition is held":          {statetest.Given(statetest.Reported, left, partitioned(held)), DoAsk},
		"in a namespace that goes":     {statetest.Given(statetest.Reported, left, partitioned(held), statetest.Deleting, func(o *state.Observed) { o.NamespaceGoing = true }), DoAsk},
		"its pods were looked at":      {statetest.Given(statetest.Reported, left, partitioned(held), podsAre(faults.Pods{})), DoTearDown},
		"it isn't held for long":       {statetest.Given(statetest.Reported, left, partitioned(faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch})), DoTearDown},
		"a kill is held: nothing asks": {statetest.Given(statetest.Reported, left, partitioned(held), func(o *state.Observed) { o.Run.Spec.Faults[0].Action = "PodKill" }), DoTearDown},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Decide(c.seen); got.Verb != c.want {
				t.Errorf("%s %q", got.Verb, got.Message)
			}
		})
	}
}

func TestWhatCannotBeHealedIsExplained(t *testing.T) {
	there := faults.Pods{"m-0": "a", "m-1": "b", "m-2": "c"}
	held := faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch.Add(-90 * time.Second), Pods: there}
	for name, c := range map[string]struct {
		seen *state.Observed
		says []string
	}{
		"Chaos Mesh holds on":   {statetest.Given(statetest.Reported, partitioned(held), podsAre(there)), []string{"fault kill", "m-1, m-0, m-2", "daemons run"}},
		"its rules are there":   {statetest.Given(statetest.Reported, partitioned(faults.State{}), podsAre(there), rulesAre(faults.RulesThere)), []string{"fault kill", "m-1, m-0, m-2", "still has its rules", "delete these pods"}},
		"their record is gone":  {statetest.Given(statetest.Reported, partitioned(faults.State{}), podsAre(there), rulesAre(faults.RulesUntold)), []string{"so is Chaos Mesh's record", "delete these pods"}},
		"it can't be read":      {statetest.Given(statetest.Reported, partitioned(faults.State{}), unlisted, podsAre(there), rulesAre(faults.RulesUnknown)), []string{"fault kill", "m-1, m-0, m-2", "no such path", "delete these pods"}},
		"one pod is gone":       {statetest.Given(statetest.Reported, partitioned(faults.State{}), podsAre(faults.Pods{"m-0": "a", "m-2": "c"}), rulesAre(faults.RulesThere)), []string{"the pods m-0, m-2:"}},
		"its pods are gone":     {statetest.Given(statetest.Reported, partitioned(held), podsAre(faults.Pods{})), nil},
		"it was held for a bit": {statetest.Given(statetest.Reported, partitioned(faults.State{Exists: true, Deleting: true, DeletingSince: statetest.Epoch}), podsAre(there)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Unhealed(c.seen)
			if (len(got) > 0) != (c.says != nil) {
				t.Fatalf("%q", got)
			}
			for _, part := range c.says {
				if !strings.Contains(got[0], part) {
					t.Errorf("%q doesn't say %q", got[0], part)
				}
			}
		})
	}
}

func TestAPartitionSeparatesItsTargetFromAllOthers(t *testing.T) {
	o := statetest.Given(statetest.Measuring(40*time.Second), statetest.WithFault, statetest.Sampled(&bundle.TopologyLine{Leader: "m-1"}), func(o *state.Observed) {
		o.Plan.Faults[0] = plan.Fault{Name: "kill", Action: "Partition", Workload: "a", Target: plan.Target{Role: plan.RoleLeader}, AtMillis: 30_000, DurationMillis: 10_000, DeadlineMillis: 30_000}
	})
	if got := Decide(o); got.Verb != DoIntendFault || got.Sides.String() != "m-1 against m-0, m-2" {
		t.Errorf("%s %q", got.Verb, got.Sides)
	}
}
