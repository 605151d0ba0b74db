package suite

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const searching = `
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 5s}]}}
axes: [{name: mode, path: /store/mode, values: [linearizable, serializable]}]
search: {from: 100, upTo: 1000, objectives: [{metric: p99, operation: READ, atMost: 20ms}]}
trials: {count: 2}
`

func TestASearchHasTwoRatesOfEachCombination(t *testing.T) {
	spec := specOf(t, searching)
	all, problems := Expand(spec)
	if len(problems) > 0 || len(all) != 4 {
		t.Fatalf("%d combinations: %s", len(all), problems)
	}
	for i, want := range []string{"mode=linearizable, search=holds 100", "mode=linearizable, search=misses 1000", "mode=serializable, search=holds 100", "mode=serializable, search=misses 1000"} {
		if got := fmt.Sprint(all[i].Name(), " ", *all[i].Spec.Load.Rate); got != want || len(all[i].Spec.Objectives) != 1 {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if axes := Axes(spec); len(axes) != 2 || axes[1].Name != "search" {
		t.Errorf("%+v", axes)
	}
}

func TestTheRatesThatWereFoundHaveTrials(t *testing.T) {
	spec := specOf(t, searching)
	all, _ := Expand(spec)
	of := &v1alpha1.BenchmarkSuite{Spec: *spec}
	of.Status.Search = []v1alpha1.FoundRates{{Holds: ptr.To[int64](400), Misses: ptr.To[int64](410)}, {Holds: ptr.To[int64](1000)}}
	measured := FillRates(all, of.Status.Search)
	if fmt.Sprint(measured) != "[true true true false]" || Measured(of) != 3 {
		t.Errorf("%v, %d", measured, Measured(of))
	}
	if *all[0].Spec.Load.Rate != 400 || *all[1].Spec.Load.Rate != 410 || *all[2].Spec.Load.Rate != 1000 {
		t.Error("the combinations have other rates")
	}
	stores, err := Stores(spec, all, measured)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	for _, trial := range TrialsOf(Turns(3, stores, 2)) {
		seen[trial.Combination]++
	}
	if fmt.Sprint(seen) != "map[0:2 1:2 2:2]" {
		t.Errorf("trials by combination: %v", seen)
	}
	search := SearchOf(of, all, of.Status.Search)
	if len(search.Found) != 2 || search.Found[1].Holds.Combination != 2 || search.Found[1].Misses != nil || search.Found[0].Absent != nil || *search.Found[1].Absent != 3 || search.Texts[0] != "p99 of READ at most 20ms" {
		t.Errorf("%+v", search)
	}
}

// A store that can do a rate is found to do it, to the precision, whatever the rate is.
func TestASearchEndsAtWholeRates(t *testing.T) {
	for limit := range int64(300) {
		search := &v1alpha1.SuiteSearch{From: ptr.To[int64](7), UpTo: 250, Precision: "1%"}
		var tried []v1alpha1.TriedRate
		for {
			rate, more := NextRate(search, tried)
			if !more {
				break
			}
			if tried = append(tried, v1alpha1.TriedRate{Rate: rate, Kept: rate <= limit}); len(tried) > MostRates(search) {
				t.Fatalf("limit %d: no end after %v", limit, tried)
			}
		}
		found := Found("c", tried, "")
		switch {
		case limit < 7:
			if found.Holds != nil {
				t.Errorf("%d holds, and nothing does", *found.Holds)
			}
		case limit >= 250:
			if found.Misses != nil || *found.Holds != 250 {
				t.Errorf("limit %d: %+v", limit, found)
			}
		case found.Holds == nil || *found.Holds > limit || *found.Misses <= limit || float64(*found.Misses-*found.Holds) > max(1, 0.01*float64(*found.Holds)):
			t.Errorf("limit %d: %+v", limit, found)
		}
	}
}

func TestObjectivesAreForTheRatesThatHold(t *testing.T) {
	for where, want := range map[string]string{"": "[{0 <nil>} {2 <nil>}]", ", where: {search: holds}": "[{0 <nil>} {2 <nil>}]", ", where: {mode: serializable}": "[{2 <nil>}]"} {
		spec := specOf(t, searching+"compare: {objectives: [{metric: throughput, atLeast: 90"+where+"}]}")
		all, problems := Expand(spec)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := fmt.Sprint(Objectives(spec, all)[0].Subjects); got != want {
			t.Errorf("%q: %s, want %s", where, got, want)
		}
	}
}

func TestWhatHasNoRateToSearchFor(t *testing.T) {
	for change, want := range map[string]string{
		"preset: A, duration: 5s}]":                                   "",
		"preset: A, load: {rate: 5}}]":                                "workload a has a load of its own",
		"preset: A}], load: {rate: 5}":                                "load.rate is what is searched for",
		"preset: A}], objectives: [{metric: throughput, atLeast: 5}]": "objectives of the template would decide",
	} {
		_, problems := Expand(specOf(t, strings.Replace(searching, "preset: A, duration: 5s}]", change, 1)))
		if (want == "") != (len(problems) == 0) || !strings.Contains(problems.String(), want) {
			t.Errorf("%s: %s", change, problems)
		}
	}
	for more, want := range map[string]string{
		"exclude: [{search: misses}]": "exclude[0] names the axis search, which is not there",
		"compare: {objectives: [{metric: throughput, atLeast: 9, where: {search: misses}}]}": "the rate that misses",
		"compare: {objectives: [{metric: p99, atMost: 95%, baseline: {search: misses}}]}":    "the rate that misses",
		"compare: {growth: mode}": "compare.growth",
		"maxRuns: 20":             "4 combinations × 2 trials, and 20 rates that the search may try, are 28 runs, and maxRuns is 20",
	} {
		if _, problems := Expand(specOf(t, searching+more)); !strings.Contains(problems.String(), want) {
			t.Errorf("%s: %s", more, problems)
		}
	}
	if _, problems := Expand(specOf(t, strings.Replace(searching, "metric: p99, operation: READ, atMost: 20ms", "metric: throughput, atLeast: 5", 1))); !strings.Contains(problems.String(), "which the search itself raises") {
		t.Error(problems)
	}
	if _, problems := Expand(specOf(t, strings.Replace(searching, "name: mode", "name: search", 1))); !strings.Contains(problems.String(), "there is an axis with the name search") {
		t.Error(problems)
	}
}
