package findings

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func TestTheTrialsSayWhetherARateHolds(t *testing.T) {
	m := searchedSuite()
	r := must(t, m, runsBy(func(block, combination int) *report.Report {
		switch {
		case block == 7:
			return nil // its report is gone
		case combination == 1 && block > 1:
			return runReport(510, 3000)
		}
		return runReport(500, 2000) // which is at the bound
	}))
	found := r.Search.Found
	if got := *found[0].Holds; got != (FoundRate{Rate: 500, Kept: 7, Unknown: 1}) {
		t.Errorf("%+v", got)
	}
	if got := *found[0].Misses; got != (FoundRate{Rate: 510, Kept: 2, Missed: 5, Unknown: 1}) {
		t.Errorf("%+v", got)
	}
	if found[1].Misses != nil || !r.Combinations[3].Absent || r.Combinations[1].Absent {
		t.Errorf("%+v %+v", found[1], r.Combinations)
	}
	if got := r.Search.Ratios; len(got) != 1 || got[0].Value != "redis" || *got[0].Low != 1000.0/510 || got[0].High != nil {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "store=redis: the highest rate isn't known, since the search ended early: it failed") {
		t.Error(r.Warnings)
	}
	if _, err := r.Baseline(); err != nil {
		t.Errorf("a rate that was not needed is missing in the baseline: %v", err)
	}
	if other := must(t, suiteOf(8), runsBy(twice)); other.Search != nil {
		t.Error("a suite that doesn't search has found something")
	}
}

func TestASearchUnderWayHasNoRateYet(t *testing.T) {
	m := searchedSuite()
	m.Trials, m.Complete = nil, false
	tried := []manifest.Tried{{Rate: 100, Kept: true, Run: "s-c1-at100", UID: "u"}}
	m.Search.UnderWay = true
	m.Search.Found = []manifest.Found{{With: m.Search.Found[0].With, Tried: tried}, {With: m.Search.Found[1].With}}
	r := must(t, m, runsBy(twice))
	if s := r.Search; !s.UnderWay || len(s.Ratios) != 0 || !reflect.DeepEqual(s.Found[0].Tried, tried) || s.Found[0].Holds != nil {
		t.Errorf("%+v", s)
	}
	if text, err := r.JSON(); err != nil || !strings.Contains(string(text), `"trials": []`) {
		t.Errorf("%v\n%.600s", err, text)
	}
}

// searchedSuite searched in two stores. The second one kept the objectives at each rate, and its search ended early.
func searchedSuite() *manifest.Manifest {
	m := suiteOf(8)
	m.Axes = append(m.Axes, manifest.Axis{Name: manifest.SearchAxis, Values: []string{manifest.Holds, manifest.Misses}, Fields: []string{"/load/rate"}})
	m.Combinations = nil
	for _, store := range []string{"etcd", "redis"} {
		for _, value := range m.Axes[1].Values {
			m.Combinations = append(m.Combinations, []manifest.Label{{Axis: "store", Value: store}, {Axis: manifest.SearchAxis, Value: value}})
		}
	}
	m.Trials = nil
	for block := range 8 {
		for _, combination := range []int{0, 1, 2} {
			uid := fmt.Sprintf("b%dc%d", block, combination)
			m.Trials = append(m.Trials, manifest.Trial{Block: block, Combination: combination, Attempts: []manifest.Attempt{{Run: uid, UID: uid, Outcome: manifest.Valid}}})
		}
	}
	with := func(store string) []manifest.Label { return []manifest.Label{{Axis: "store", Value: store}} }
	m.Search = &manifest.Search{
		Objectives: []plan.Objective{{Metric: "p99", Operation: "READ", AtMost: ptr.To(0.002)}}, Texts: []string{"p99 of READ at most 2ms"},
		Found: []manifest.Found{
			{With: with("etcd"), Holds: &manifest.Point{Rate: 500, Combination: 0}, Misses: &manifest.Point{Rate: 510, Combination: 1}, Tried: []manifest.Tried{{Rate: 500, Kept: true}, {Rate: 510}}},
			{With: with("redis"), Holds: &manifest.Point{Rate: 1000, Combination: 2}, Absent: ptr.To(3), Why: "it failed"},
		},
	}
	return m
}
