package suite

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const twoAxes = `
axes:
- {name: store, cases: [{name: etcd}, {name: redis, patch: {store: {name: redis, nodes: 1}}}]}
- {name: rate, path: /load/rate, values: [10, 20]}
`

func TestAnObjectiveIsForTheCombinationsThatItNames(t *testing.T) {
	for _, c := range []struct{ objective, text, subjects string }{
		{`{metric: p99, operation: READ, atMost: 20ms}`, "p99 of READ at most 20ms", `[{"combination":0},{"combination":1},{"combination":2},{"combination":3}]`},
		{`{metric: throughput, atLeast: 15, where: {rate: 20}}`, "throughput at least 15 where rate=20", `[{"combination":1},{"combination":3}]`},
		{`{metric: throughput, atLeast: 95%, baseline: {store: etcd}}`, "throughput at least 95 % of store=etcd", `[{"combination":2,"baseline":0},{"combination":3,"baseline":1}]`},
		{`{metric: p50, atMost: 105%, where: {rate: 20}, baseline: {store: etcd, rate: 10}}`, "p50 at most 105 % of rate=10, store=etcd where rate=20", `[{"combination":1,"baseline":0},{"combination":3,"baseline":0}]`},
	} {
		spec := specOf(t, template+twoAxes+"compare: {objectives: ["+c.objective+"]}")
		all, problems := Expand(spec)
		if len(problems) > 0 {
			t.Errorf("%s: %v", c.objective, problems)
			continue
		}
		made := Objectives(spec, all)
		subjects, err := json.Marshal(made[0].Subjects)
		if err != nil || string(subjects) != c.subjects || made[0].Text != c.text || made[0].Basis != "Trials" {
			t.Errorf("%s: %q %s by %s: %v", c.objective, made[0].Text, subjects, made[0].Basis, err)
		}
	}
}

func TestObjectivesWithoutMeaningAreProblems(t *testing.T) {
	for _, c := range []struct{ compare, says string }{
		{`{by: size}`, "compare.by names the axis size, which is not there"},
		{`{objectives: [{metric: p99, atMost: 20ms, where: {size: 3}}]}`, "compare.objectives[0].where names the axis size, which is not there"},
		{`{objectives: [{metric: p99, atMost: 105%, baseline: {store: etdc}}]}`, "compare.objectives[0].baseline names the value etdc, which the axis store doesn't have"},
		{`{objectives: [{metric: p99, atMost: 20ms, baseline: {store: etcd}}]}`, `"20ms" is no part of a baseline`},
		{`{objectives: [{metric: errors, atMost: 105%, baseline: {store: etcd}}]}`, "errors has no ratio to a baseline"},
		{`{objectives: [{metric: p99, atMost: 105%, baseline: {rate: 10}}]}` + "\nexclude: [{store: redis, rate: 10}]", "compare.objectives[0]: its baseline is excluded: name in where the combinations that have one (in store=redis, rate=20)"},
		{`{objectives: [{metric: p99, atMost: 105%, where: {store: etcd}, baseline: {store: etcd}}]}`, "compare.objectives[0] is for no combination"},
	} {
		if _, problems := Expand(specOf(t, template+twoAxes+"compare: "+c.compare)); !strings.Contains(problems.String(), c.says) {
			t.Errorf("%s: %q, want %q", c.compare, problems.String(), c.says)
		}
	}
}

func TestTheDigestHasTheObjectives(t *testing.T) {
	digest := func(more string) string {
		found, err := Digest(specOf(t, template+more))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	none, one := digest(""), digest("compare: {objectives: [{metric: p99, atMost: 20ms}]}")
	if none == one || one == digest("compare: {objectives: [{metric: p99, atMost: 21ms}]}") {
		t.Error("two suites with other objectives have the same digest")
	}
}

func TestOnlyNumbersGrow(t *testing.T) {
	for values, want := range map[string]string{
		`[1, 3, 5, 7, 9]`:       "",
		`[1, 3, 5, 7]`:          "which has 4 values: a law of growth needs 5",
		`[0, 1, 3, 5, 7]`:       "whose values are not all numbers from 1 on",
		`[1, 3, 5, 7, "three"]`: "whose values are not all numbers from 1 on",
		`[1, 3, 5, 7, "1.0"]`:   "which has a number twice",
		`[1, 3, 5, 7, "NaN"]`:   "whose values are not all numbers from 1 on",
		`[1, 3, 5, 7, "Inf"]`:   "whose values are not all numbers from 1 on",
	} {
		spec := &v1alpha1.BenchmarkSuiteSpec{Compare: &v1alpha1.CompareSpec{Growth: "n"}}
		spec.Template.Spec.Raw = []byte(`{}`)
		axis := v1alpha1.SuiteAxis{Name: "n", Path: "/store/nodes"}
		if err := json.Unmarshal([]byte(values), &axis.Values); err != nil {
			t.Fatal(err)
		}
		spec.Axes = []v1alpha1.SuiteAxis{axis}
		var problems Problems
		objectives(spec, nil, &problems)
		if said := problems.String(); (said != "") != (want != "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", values, said, want)
		}
	}
	spec := &v1alpha1.BenchmarkSuiteSpec{Compare: &v1alpha1.CompareSpec{Growth: "other"}}
	var problems Problems
	if objectives(spec, nil, &problems); !strings.Contains(problems.String(), "the axis other, which is not there") {
		t.Error(problems.String())
	}
}
