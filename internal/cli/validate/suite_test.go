package validate

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const template = "template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A}]}}"

func TestASuiteIsRefusedForWhatIsWrongWithItsCombinations(t *testing.T) {
	for spec, want := range map[string][][2]string{
		"{" + template + "}": nil,
		"{template: {spec: {store: {name: etcd, nods: 3}, workloads: [{name: a, preset: A}]}}}": {
			{"spec.store.nods", "did you mean nodes?"},
		},
		"{" + template + ", axes: [{name: nodes, path: /store/nodes, values: [1, 3, 12]}]}": {
			{"spec.store.nodes", "should be less than or equal to 9"},
		},
		"{" + template + ", axes: [{name: mode, path: /store/mode, values: [linearizable, linear]}]}": {
			{"spec.store.mode", `has no mode "linear"`},
		},
		"{" + template + ", axes: [{name: settings, path: /store/values, values: [{settings: {snapshot-count: x}}, {}]}]}": {
			{"spec.store.values", "settings.snapshot-count: got string"},
		},
		"{" + template + ", compare: {by: store}}": {
			{"spec", "compare.by names the axis store, which is not there"},
		},
		"{" + template + ", compare: {objectives: [{metric: p99, operation: SCAN, atMost: 20ms}]}}": {
			{"spec.compare.objectives[0].operation", "there is no SCAN"},
		},
		"{" + template + ", trials: {min: 8, max: 12, until: {metric: p99, operation: SCAN, halfWidth: 5%}}}": {
			{"spec.trials.until.operation", "there is no SCAN"},
		},
		"{" + template + ", trials: {count: 500}}": {
			{"spec", "maxRuns is 200"},
		},
		"{" + template + ", exclude: [{rate: 5}]}": {
			{"spec", "exclude[0] names the axis rate, which is not there"},
		},
		"{" + template + ", search: {upTo: 1000, objectives: [{metric: p99, operation: SCAN, atMost: 20ms}]}}": {
			{"spec.objectives[0].operation", "there is no SCAN"},
		},
		"{template: {spec: {retain: Always, store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A}]}}}": {
			{"spec", "retain must be Never"},
		},
	} {
		t.Run(spec, func(t *testing.T) { expect(t, checked(t, suiteOf(spec)), want...) })
	}
}

func TestAllThatIsWrongWithASuiteIsFoundAtOnce(t *testing.T) {
	results := checked(t, suiteOf(`
  template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: e, preset: E}]}}
  axes:
  - {name: nodes, path: /store/nodes, values: [1, 3, 12]}
  - {name: store, path: /store/name, values: [etcd, memcached]}
  compare: {objectives: [{metric: p99, operation: UPDATE, atMost: 20ms}]}
`))
	expect(t, results,
		[2]string{"spec.compare.objectives[0].operation", "there is no UPDATE"},
		[2]string{"spec.workloads[0].properties", "memcached in its mode sharded has no scan"},
		[2]string{"spec.store.nodes", "should be less than or equal to 9"},
	)
	if t.Failed() {
		return
	}
	for i, want := range []string{"nodes=1, store=etcd", "nodes=1, store=memcached; nodes=3, store=memcached", "nodes=12, store=etcd; nodes=12, store=memcached"} {
		if got := strings.Join(results[0].Findings[i].Combinations, "; "); !strings.HasPrefix(got, want) {
			t.Errorf("finding %d is of %q, want %q", i, got, want)
		}
	}
}

func TestWhatCombinationsCannotShareIsFound(t *testing.T) {
	// Each fits by itself. Together they have more workloads than a run can have.
	results := checked(t, suiteOf("{"+template+`, reuse: Store, maxRuns: 1000, axes: [
  {name: rate, path: /load/rate, values: [1, 2, 3, 4, 5, 6, 7, 8, 9]},
  {name: threads, path: /load/threads, values: [1, 2, 3, 4, 5, 6, 7, 8]}]}`))
	expect(t, results, [2]string{"spec", "a run has 64 at most"})
}

func TestTheRunThatCombinationsShareIsChecked(t *testing.T) {
	// A run is measured for 48h at most, and each combination for 20h.
	long := func(rates string) []Result {
		return checked(t, suiteOf("{reuse: Store, axes: [{name: rate, path: /load/rate, values: ["+rates+"]}], "+
			"template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 20h}]}}}"))
	}
	expect(t, long("1, 2"))
	expect(t, long("1, 2, 3"), [2]string{"spec.workloads", "a report can hold 48h"})
}

func TestASuiteWithBaselinesNamesThem(t *testing.T) {
	results := checked(t, suiteOf("{"+template+", compare: {baselines: [{name: released}], objectives: [{metric: p99, operation: READ, atMost: 110%, against: released}]}}"))
	expect(t, results)
	if got := strings.Join(results[0].Unchecked, "; "); !strings.HasSuffix(got, "; the baseline released (spec.compare.baselines)") {
		t.Errorf("got %q", got)
	}
}

func TestALongCheckEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Check(ctx, []Content{{File: "f.yaml", Text: []byte(suiteOf("{" + template + "}"))}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
