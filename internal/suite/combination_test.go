package suite

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const template = `
template:
  spec:
    store: {name: etcd, nodes: 1}
    workloads: [{name: a, preset: A}]
`

func specOf(t *testing.T, text string) *v1alpha1.BenchmarkSuiteSpec {
	t.Helper()
	spec := &v1alpha1.BenchmarkSuiteSpec{}
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func namesOf(all []Combination) string {
	var names []string
	for i := range all {
		names = append(names, all[i].Name())
	}
	return strings.Join(names, " | ")
}

func TestAxesGiveAllCombinations(t *testing.T) {
	all, problems := Expand(specOf(t, template+`
axes:
- {name: rate, path: /load/rate, values: [500, 1000]}
- {name: store, cases: [{name: etcd}, {name: imap, patch: {store: {name: hazelcast, mode: null, nodes: 3}}}]}
- {name: fields, path: /workloads/0/properties/fieldlength, values: ["10"]}
exclude: [{store: imap, rate: 500}]
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got, want := namesOf(all), "rate=500, store=etcd, fields=10 | rate=1000, store=etcd, fields=10 | rate=1000, store=imap, fields=10"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	last := all[2].Spec
	if last.Store.Name != "hazelcast" || last.Store.Nodes != 3 || *last.Load.Rate != 1000 || last.Workloads[0].Properties["fieldlength"] != "10" {
		t.Errorf("the last one is %+v", last)
	}
	if first := all[0].Spec; first.Store.Name != "etcd" || first.Store.Nodes != 1 || *first.Load.Rate != 500 {
		t.Errorf("the first one is %+v", first)
	}
}

func TestAnAxisSuppliesWhatTheTemplateLacks(t *testing.T) {
	all, problems := Expand(specOf(t, `
template: {spec: {workloads: [{name: a, preset: A}]}}
axes: [{name: store, path: /store, values: [{name: etcd, nodes: 3}]}]
`))
	if len(problems) > 0 || len(all) != 1 || all[0].Spec.Store.Nodes != 3 {
		t.Errorf("%v, %+v", problems, all)
	}
}

func TestASuiteWithoutAxesRepeatsItsTemplate(t *testing.T) {
	all, problems := Expand(specOf(t, template))
	if len(problems) > 0 || namesOf(all) != "the template" {
		t.Errorf("%v, %s", problems, namesOf(all))
	}
}

func TestLargeNumbersStayExact(t *testing.T) {
	all, problems := Expand(specOf(t, template+`
axes: [{name: seed, path: /seed, values: [9007199254740993]}]
`))
	if len(problems) > 0 || *all[0].Spec.Seed != 9007199254740993 {
		t.Errorf("%v, %+v", problems, all)
	}
}

func TestProblemsAreAllListed(t *testing.T) {
	for _, c := range []struct {
		what, suite string
		want        []string
	}{
		{"a path that names no field", `axes: [{name: rate, path: /load/rat, values: [1, 2]}]`,
			[]string{`the run's spec: unknown field "load.rat" (in rate=1; rate=2)`}},
		{"a path through a value", `axes: [{name: rate, path: /store/name/x, values: [1]}]`, []string{"axis rate: /store/name is etcd, and has no fields"}},
		{"a path to no element", `axes: [{name: a, path: /workloads/3/preset, values: [A]}]`, []string{`axis a: /workloads has 1 elements, and no "3"`}},
		{"a path to an element written otherwise", `axes: [{name: a, path: /workloads/00/preset, values: [A]}]`, []string{`/workloads has 1 elements, and no "00"`}},
		{"a value of another type", `axes: [{name: rate, path: /load/rate, values: [fast]}]`, []string{"the run's spec can't be read"}},
		{"a value twice", `axes: [{name: rate, path: /load/rate, values: [1, 2, 1]}]`, []string{"axis rate has the value 1 twice"}},
		{"a long value", `axes: [{name: a, path: /workloads, values: [[{name: abcdefghijklmnopqrst, preset: A, properties: {a: bcdefghijklm}}]]}]`, []string{"a value has 80 bytes, and can have 63"}},
		{"another service account", `axes: [{name: who, path: /serviceAccountName, values: [admin]}]`, []string{"an axis can't change serviceAccountName: set it in the template (in who=admin)"}},
		{"another service account by a patch", `axes: [{name: who, cases: [{name: x, patch: {serviceAccountName: admin}}]}]`, []string{"an axis can't change serviceAccountName"}},
		{"a retained store", `axes: [{name: keep, path: /retain, values: [Always]}]`, []string{"retain must be Never"}},
		{"exclusions of what isn't there", "axes: [{name: rate, path: /load/rate, values: [1]}]\nexclude: [{rat: 1}, {rate: 2}]",
			[]string{"exclude[0] names the axis rat, which is not there", "exclude[1] names the value 2, which the axis rate doesn't have"}},
		{"an axis without values", `axes: [{name: rate, path: /load/rate}]`, []string{"axis rate: an axis has a path and values, or cases"}},
		{"everything excluded", "axes: [{name: rate, path: /load/rate, values: [1]}]\nexclude: [{rate: 1}]", []string{"exclude leaves no combination"}},
		{"too many runs", `axes: [{name: rate, path: /load/rate, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}]` + "\ntrials: {count: 21}",
			[]string{"10 combinations × 21 trials are 210 runs, and maxRuns is 200"}},
		{"several problems at once", "axes:\n- {name: rate, path: /load/rat, values: [1]}\n- {name: keep, path: /retain, values: [Never]}\nexclude: [{x: 1}]",
			[]string{`unknown field "load.rat"`, "exclude[0] names the axis x"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, problems := Expand(specOf(t, template+c.suite))
			for _, want := range c.want {
				if !strings.Contains(problems.String(), want) {
					t.Errorf("%q is not in %q", want, problems.String())
				}
			}
		})
	}
}

func TestHugeSuitesAreRefusedBeforeTheyAreExpanded(t *testing.T) {
	spec := specOf(t, template)
	values := make([]string, 64)
	for i := range values {
		values[i] = strings.Repeat("1", i+1)
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		axis := v1alpha1.SuiteAxis{Name: name}
		for i := range 64 {
			axis.Cases = append(axis.Cases, v1alpha1.SuiteCase{Name: string(rune('A'+i%26)) + string(rune('A'+i/26))})
		}
		spec.Axes = append(spec.Axes, axis)
	}
	spec.MaxRuns = ptr.To[int32](10_000)
	all, problems := Expand(spec)
	if all != nil || !strings.Contains(problems.String(), "more than 10000 combinations") {
		t.Errorf("%d combinations, %v", len(all), problems)
	}
}

func TestAProblemOfManyCombinationsIsOneSentence(t *testing.T) {
	_, problems := Expand(specOf(t, template+`axes: [{name: rate, path: /load/rat, values: [1, 2, 3, 4, 5, 6]}]`))
	want := `the run's spec: unknown field "load.rat" (in rate=1; rate=2; rate=3; rate=4; and in 2 more combinations)`
	if problems.String() != want {
		t.Errorf("got  %s\nwant %s", problems, want)
	}
}
