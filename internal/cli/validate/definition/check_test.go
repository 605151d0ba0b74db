package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/charts"
)

// given is the object of some YAML.
func given(t *testing.T, text string) map[string]any {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(asJSON, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// run is a BenchmarkRun with this spec.
func run(t *testing.T, spec string) map[string]any {
	t.Helper()
	return given(t, "{apiVersion: kvbench.io/v1alpha1, kind: BenchmarkRun, metadata: {name: a}, spec: "+spec+"}")
}

const (
	store     = "store: {name: etcd, nodes: 3}"
	workloads = "workloads: [{name: a, preset: A}]"
)

func check(t *testing.T, of func() (*Definition, error), object map[string]any) []Finding {
	t.Helper()
	definition, err := of()
	if err != nil {
		t.Fatal(err)
	}
	return definition.Check(context.Background(), object)
}

// expect compares findings with lines of field and a part of the message.
func expect(t *testing.T, found []Finding, want ...[2]string) {
	t.Helper()
	ok := len(found) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = found[i].Field == want[i][0] && strings.Contains(found[i].Message, want[i][1])
	}
	if !ok {
		text, _ := json.MarshalIndent(found, "", " ")
		t.Errorf("got %s\nwant %q", text, want)
	}
}

func TestASpecThatFitsHasNoFindings(t *testing.T) {
	expect(t, check(t, OfRun, run(t, "{"+store+", "+workloads+"}")))
	expect(t, check(t, OfSuite, given(t, `
apiVersion: kvbench.io/v1alpha1
kind: BenchmarkSuite
metadata: {name: a}
spec:
  template: {spec: {anything: {at: all}}}
  axes: [{name: rate, path: /load/rate, values: [1, two, {three: 3}]}]
`)))
}

func TestWhatIsWrongWithARunIsFoundAtItsField(t *testing.T) {
	for spec, want := range map[string][2]string{
		"{store: {name: etcd, nodes: 3, nods: 3}, " + workloads + "}":                                           {"spec.store.nods", "did you mean nodes?"},
		"{" + store + ", workloads: [{name: a, preset: A}, {name: b, presset: B, preset: B}]}":                  {"spec.workloads[1].presset", "did you mean preset?"},
		"{" + store + ", " + workloads + ", load: {somethingElse: {a: 1}}}":                                     {"spec.load.somethingElse", "known are arrivals, batch"},
		"{store: {name: etcd, nodes: 10}, " + workloads + "}":                                                   {"spec.store.nodes", "should be less than or equal to 9"},
		"{" + store + ", workloads: [{name: a, preset: G}]}":                                                    {"spec.workloads[0].preset", "must be A, B, C, D, E, F or mixgraph"},
		"{" + store + ", workloads: [{name: a, preset: A}, {name: a, preset: B}]}":                              {"spec.workloads[1]", "Duplicate value: {\"name\":\"a\"}: another entry has it already"},
		"{" + store + ", workloads: [{name: a, preset: A, duration: 60s, operations: 1}]}":                      {"spec.workloads[0]", "set duration or operations, not both"},
		"{" + store + ", workloads: [{name: a, preset: A, duration: soon}]}":                                    {"spec.workloads[0].duration", "must be"},
		"{" + store + ", " + workloads + ", load: {rate: 0}}":                                                   {"spec.load.rate", "must be above 0"},
		"{" + store + ", " + workloads + ", load: {arrivals: Poisson}}":                                         {"spec.load.arrivals", "needs a rate"},
		"{" + store + ", " + workloads + ", faults: [{name: k, action: ContainerKill, at: 55s}]}":               {"spec", "at least 10s before the end"},
		"{" + store + ", " + workloads + ", faults: [{name: k, action: Flood, at: 5s}]}":                        {"spec.faults[0].action", "must be ContainerKill, PodKill or Partition"},
		"{" + store + ", " + workloads + ", faults: [{name: k, action: PodKil, at: 5s}]}":                       {"spec.faults[0].action", "must be ContainerKill, PodKill or Partition: did you mean PodKill?"},
		"{" + store + ", " + workloads + ", retain: Sometimes}":                                                 {"spec.retain", "must be Never, OnFailure or Always"},
		"{" + store + ", " + workloads + ", placement: {workers: {spread: OneNode, toMembers: Beside}}}":        {"spec.placement.workers", "no scheduler can keep both"},
		"{store: {name: etcd, nodes: 1, endpoints: [{address: \"a:1\"}]}, " + workloads + ", retain: Always}":   {"spec", "store.endpoints are never removed"},
		"{" + store + ", " + workloads + ", faults: [{name: k, action: PodKill, at: 5s, target: {member: 3}}]}": {"spec", "faults[].target.member counts from 0"},
	} {
		t.Run(want[1], func(t *testing.T) {
			expect(t, check(t, OfRun, run(t, spec)), want)
		})
	}
}

// The API server doesn't ask rules of an object whose types are wrong, and says so.
func TestWrongTypesHideTheRules(t *testing.T) {
	const unasked = "rules were not asked"
	for spec, want := range map[string][2]string{
		"{store: {name: etcd, nodes: \"3\"}, " + workloads + "}": {"spec.store.nodes", "must be of type integer, and is of type string"},
		"{" + store + "}": {"spec.workloads", "is missing"},
		"{" + store + ", workloads: [{name: " + strings.Repeat("a", 21) + ", preset: A}]}": {"spec.workloads[0].name", "Too long"},
		"{" + store + ", workloads: [" + strings.Repeat("{name: a},", 65) + "]}":           {"spec.workloads", "Too many"},
		"{" + store + ", workloads: {name: a}}":                                            {"spec.workloads", "must be of type array"},
		"[]":                                                                               {"spec", "must be of type object"},
		"{" + store + ", " + workloads + ", faults: [{name: k, action: PodKill, at: 5s, target: {member: first}}]}": {"spec.faults[0].target.member", "must be of type integer"},
	} {
		t.Run(want[0], func(t *testing.T) {
			found := check(t, OfRun, run(t, spec))
			if len(found) < 2 || found[len(found)-1].Field != "" || !strings.Contains(found[len(found)-1].Message, unasked) {
				t.Fatalf("got %v", found)
			}
			expect(t, found[:1], want)
		})
	}
}

func TestANumberThatIsNoWholeOneIsFoundAtItsField(t *testing.T) {
	found := check(t, OfRun, run(t, "{store: {name: etcd, nodes: 3.5}, "+workloads+"}"))
	expect(t, found, [2]string{"spec.store.nodes", "must be of type int32"}, [2]string{"spec.store.nodes", "must be of type integer with format int32"}, [2]string{"", "rules were not asked"})
}

func TestMetadataIsCheckedAsTheAPIServerDoes(t *testing.T) {
	spec := ", spec: {" + store + ", " + workloads + "}}"
	for metadata, want := range map[string][][2]string{
		"{name: A_b}":                              {{"metadata.name", "lowercase RFC 1123"}},
		"{}":                                       {{"metadata.name", "name or generateName is required"}},
		"{generateName: a-}":                       nil,
		"{name: a, resourceVersion: \"7\"}":        {{"metadata.resourceVersion", "remove it"}},
		"{name: a, namespace: Default}":            {{"metadata.namespace", "lowercase RFC 1123"}},
		"{name: a, lables: {b: c}}":                {{"metadata.lables", "did you mean labels?"}},
		"{name: a, labels: {\"b c\": d}}":          {{"metadata.labels", "name part must consist of"}},
		"{name: a, labels: {b: 1}}":                {{"metadata", "cannot unmarshal number"}},
		"{name: a, annotations: {b: \"1 2\"}}":     nil,
		"{name: " + strings.Repeat("a", 254) + "}": {{"metadata.name", "must be no more than 253"}},
	} {
		t.Run(metadata, func(t *testing.T) {
			expect(t, check(t, OfRun, given(t, "{apiVersion: kvbench.io/v1alpha1, kind: BenchmarkRun, metadata: "+metadata+spec)), want...)
		})
	}
}

func TestAStatusIsLeftOut(t *testing.T) {
	object := run(t, "{"+store+", "+workloads+"}")
	object["status"] = map[string]any{"phase": int64(1)} // of no type that it can have
	expect(t, check(t, OfRun, object))
	if _, there := object["status"]; there {
		t.Error("the status is still there")
	}
}

func TestWhatIsWrongWithASuiteIsFoundAtItsField(t *testing.T) {
	for spec, want := range map[string][2]string{
		"{template: {spec: {}}, trials: {count: 0}}":                              {"spec.trials.count", "greater than or equal to 1"},
		"{template: {spec: {}}, trials: {min: 8}}":                                {"spec.trials", "min, max and until go together"},
		"{template: {spec: {}}, axes: [{name: a}]}":                               {"spec.axes[0]", "an axis has a path and values, or cases"},
		"{template: {spec: {}}, axes: [{name: a, path: load/rate, values: [1]}]}": {"spec.axes[0].path", "must be a JSON pointer"},
		"{template: {spec: {}}, reuse: Always}":                                   {"spec.reuse", "must be None or Store"},
		"{template: {spec: {}}, trails: {}}":                                      {"spec.trails", "did you mean trials?"},
		"{template: {spec: {}}, axes: [{name: a, cases: [{name: b, ptch: {}}]}]}": {"spec.axes[0].cases[0].ptch", "did you mean patch?"},
	} {
		t.Run(want[1], func(t *testing.T) {
			expect(t, check(t, OfSuite, given(t, "{apiVersion: kvbench.io/v1alpha1, kind: BenchmarkSuite, metadata: {name: a}, spec: "+spec+"}")), want)
		})
	}
}

func TestRulesSeeTheNameThatTheAPIServerMakes(t *testing.T) {
	for _, begin := range []string{"nightly-", strings.Repeat("a", 100)} {
		suite := "{apiVersion: kvbench.io/v1alpha1, kind: BenchmarkSuite, metadata: {generateName: " + begin + "}, spec: {template: {spec: {}}}}"
		expect(t, check(t, OfSuite, given(t, suite)))
	}
}

func TestFindingsAreInTheOrderOfTheirFields(t *testing.T) {
	spec := "{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: G}, {name: b, preset: H}], load: {rate: 0}, retain: x, faults: [{name: k, action: x, at: 5s}]}"
	first := fmt.Sprint(check(t, OfRun, run(t, spec)))
	for range 20 {
		if again := fmt.Sprint(check(t, OfRun, run(t, spec))); again != first {
			t.Fatalf("first\n%s\nand then\n%s", first, again)
		}
	}
}

func TestADefinitionThatIsMissingIsAnError(t *testing.T) {
	if _, err := read(charts.Definitions(), "BenchmarkRace"); err == nil || !strings.Contains(err.Error(), "BenchmarkRace") {
		t.Errorf("got %v", err)
	}
}
