package decide

import (
	"fmt"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// searching is a suite that searches in two combinations, from 100 to 400.
func searching(runs map[string]Run, change ...func(*v1alpha1.BenchmarkSuite)) *State {
	s := of(runs, change...)
	s.Suite.Spec.Search = &v1alpha1.SuiteSearch{UpTo: 400, Precision: "50%"}
	s.Combinations = nil
	for _, store := range []string{"etcd", "redis"} {
		for _, value := range []string{manifest.Holds, manifest.Misses} {
			s.Combinations = append(s.Combinations, suite.Combination{Labels: []manifest.Label{{Axis: "store", Value: store}, {Axis: manifest.SearchAxis, Value: value}}})
		}
	}
	return s
}

func TestTheNextRateOfASearch(t *testing.T) {
	ended := func(verdict stats.Verdict) Run {
		return Run{Ours: true, Ended: true, Result: Result{Outcome: manifest.Valid}, Verdict: verdict}
	}
	kept, missed := ended(stats.Passed), ended(stats.Failed)
	kept.UID = "u"
	suspended := func(s *v1alpha1.BenchmarkSuite) { s.Spec.Suspend = true }
	over := map[string]Run{"s-c1-at100": kept, "s-c1-at200": missed, "s-c1-at150": kept, "s-c2-at100": kept, "s-c2-at200": kept, "s-c2-at400": kept}
	for _, c := range []struct {
		what  string
		state *State
		verb  Verb
		name  string
		rate  int64
	}{
		{"nothing tried", searching(nil), Create, "s-c1-at100", 100},
		{"suspended", searching(nil, suspended), Suspend, "s-c1-at100", 100},
		{"the first under way", searching(map[string]Run{"s-c1-at100": underWay}), Wait, "s-c1-at100", 100},
		{"the other one has its turn", searching(map[string]Run{"s-c1-at100": kept}), Create, "s-c2-at100", 100},
		{"then the rate doubles", searching(map[string]Run{"s-c1-at100": kept, "s-c2-at100": missed}), Create, "s-c1-at200", 200},
		{"but not below the first one", searching(map[string]Run{"s-c1-at100": kept, "s-c1-at200": missed, "s-c1-at150": kept, "s-c2-at100": missed}), Finish, "", 0},
		{"the interval is halved", searching(map[string]Run{"s-c1-at100": kept, "s-c1-at200": missed, "s-c2-at100": kept, "s-c2-at200": kept}), Create, "s-c1-at150", 150},
		{"one lagged", searching(map[string]Run{"s-c1-at100": lagging}), Create, "s-c1-at100-r1", 100},
		{"another's run has the name", searching(map[string]Run{"s-c1-at100": foreign}), Blocked, "s-c1-at100", 100},
		{"one of no search under way", searching(nil).with("s-c9-at100"), Wait, "s-c9-at100", 0},
		{"one of the second under way, and the first deleted", searching(map[string]Run{"s-c2-at100": underWay}), Wait, "s-c2-at100", 100},
		{"all known", searching(over), Finish, "", 0},
		{"all known, and suspended", searching(over, suspended), Finish, "", 0},
	} {
		step, _ := Search(c.state)
		if step.Verb != c.verb || step.Name != c.name || step.Rate != c.rate {
			t.Errorf("%s: %+v, want %s %s %d", c.what, step, c.verb, c.name, c.rate)
		}
	}
	_, found := Search(searching(over))
	if got := fmt.Sprint(*found[0].Holds, *found[0].Misses, *found[1].Holds, found[1].Misses, found[0].Tried); got != "150 200 400 <nil> [{100 true s-c1-at100 u} {200 false s-c1-at200 } {150 true s-c1-at150 u}]" || found[1].Combination != "store=redis" {
		t.Errorf("%s of %s", got, found[1].Combination)
	}
}

func TestASearchEndsWhereNobodyKnows(t *testing.T) {
	kept := Run{Ours: true, Ended: true, Result: Result{Outcome: manifest.Valid}, Verdict: stats.Passed}
	for want, run := range map[string]Run{
		"at 200 operations/s, the figures of run s-c1-at200 don't tell whether the objectives were kept": {Ours: true, Ended: true, Result: Result{Outcome: manifest.Valid}, Verdict: stats.Unknown},
		"at 200 operations/s, run s-c1-at200 was not valid: LoadIncomplete":                              notBelow,
		"at 200 operations/s, run s-c1-at200 failed: InvalidLoad":                                        refused,
	} {
		_, found := SearchOne(searching(map[string]Run{"s-c1-at100": kept, "s-c1-at200": run}), 0)
		if found.Why != want || *found.Holds != 100 || found.Misses != nil {
			t.Errorf("%+v, want %s", found, want)
		}
	}
	missed := Run{Ours: true, Ended: true, Result: Result{Outcome: manifest.Valid}, Verdict: stats.Failed}
	if step, found := SearchOne(searching(map[string]Run{"s-c1-at100": missed}), 0); step.Verb != Finish || found.Holds != nil || *found.Misses != 100 || found.Why == "" {
		t.Errorf("%+v %+v", step, found)
	}
	none := searching(map[string]Run{"s-c1-at100": lagging}, func(s *v1alpha1.BenchmarkSuite) { s.Spec.Retries = ptr.To[int32](0) })
	if step, found := SearchOne(none, 0); step.Verb != Finish || found.Holds != nil || found.Why == "" {
		t.Errorf("%+v %+v", step, found)
	}
}
