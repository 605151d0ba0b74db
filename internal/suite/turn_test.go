package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

func TestNamesOfRuns(t *testing.T) {
	for _, c := range []struct {
		turn    Turn
		attempt int
		want    string
	}{
		{Turn{Block: 2, Combinations: []int{4}}, 0, "rates-b3-c5"},
		{Turn{Block: 2, Combinations: []int{4}}, 2, "rates-b3-c5-r2"},
		{Turn{Block: 2, Store: 1, Combinations: []int{4, 3}, Shared: true}, 0, "rates-b3-s2"},
		{Turn{Block: 2, Store: 1, Combinations: []int{3}, Shared: true}, 1, "rates-b3-s2-r1"},
	} {
		if got := RunName("rates", &c.turn, c.attempt); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestTurnsOfStoresOfTheirOwnAreInTheOrderOfTheTrials(t *testing.T) {
	turns := Turns(7, []Store{{Combinations: []int{0}}, {Combinations: []int{1}}, {Combinations: []int{2}}}, 5)
	if got := TrialsOf(turns); !slices.Equal(got, Order(7, 3, 5)) {
		t.Errorf("%v", got)
	}
}

func TestCombinationsOfAStoreHaveOneTurnInABlock(t *testing.T) {
	stores := []Store{{[]int{0, 2, 4}, true}, {[]int{1}, false}, {[]int{3, 5}, true}}
	firsts := map[string]bool{}
	for block, turns := range slices.Collect(slices.Chunk(Turns(7, stores, 50), len(stores))) {
		for _, turn := range turns {
			sorted := slices.Sorted(slices.Values(turn.Combinations))
			if turn.Block != block || !slices.Equal(sorted, stores[turn.Store].Combinations) || turn.Shared != stores[turn.Store].Shared {
				t.Fatalf("block %d has %+v", block, turn)
			}
		}
		firsts[fmt.Sprint(turns[0].Store, turns[0].Combinations[0])] = true
	}
	if len(firsts) != 6 {
		t.Errorf("only %d combinations are ever the first of their block", len(firsts))
	}
}

const sharing = `
template: {spec: {store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 5s}, {name: b, preset: B}], load: {warmup: 3s, connections: 20}}}
axes:
- {name: mode, path: /store/mode, values: [linearizable, serializable]}
- name: load
  cases:
  - {name: closed, patch: {load: {connections: null}}}
  - {name: open, patch: {load: {rate: 500}}}
  - {name: kill, patch: {load: {rate: 500}, faults: [{name: k, action: PodKill, at: 1s, target: {role: Leader}}]}}
`

func TestCombinationsShareAStoreThatDifferInTheirWorkAlone(t *testing.T) {
	for reuse, want := range map[string]string{"": "[{[0] false} {[1] false} {[2] false} {[3] false} {[4] false} {[5] false}]", ReuseStore: "[{[0 1] true} {[2] false} {[3 4] true} {[5] false}]"} {
		spec := specOf(t, sharing)
		spec.Reuse = reuse
		all, problems := Expand(spec)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if stores, err := Stores(spec, all, nil); err != nil || fmt.Sprint(stores) != want {
			t.Errorf("%q: %v, %v, want %s", reuse, stores, err, want)
		}
	}
}

// The plan of a shared run has the workloads of its combinations' own plans, but for their names and for the store that is emptied.
func TestSharedWorkloadsAreThoseOfTheCombinations(t *testing.T) {
	all, problems := Expand(specOf(t, sharing))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	turn := &Turn{Combinations: []int{1, 0}, Shared: true}
	shared := compiled(t, SpecOf(all, turn, 9))
	var want []plan.Workload
	for _, combination := range turn.Combinations {
		own := compiled(t, SpecOf(all, &Turn{Combinations: []int{combination}}, 9))
		if part := shared.Part(Prefix(combination)); fingerprintOf(t, part) != fingerprintOf(t, own) {
			t.Errorf("the part of combination %d is %+v, want %+v", combination, part, own)
		}
		for i, w := range own.Workloads {
			w.Name = Prefix(combination) + w.Name
			w.Reset = i == 0 && combination == 0 // the first one's store is empty
			want = append(want, w)
		}
	}
	if got := fmt.Sprintf("%+v", shared.Workloads); got != fmt.Sprintf("%+v", want) {
		t.Errorf("%s\nwant\n%+v", got, want)
	}
}

func fingerprintOf(t *testing.T, p *plan.Plan) string {
	t.Helper()
	is, err := p.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return is
}

func compiled(t *testing.T, spec *v1alpha1.BenchmarkRunSpec) *plan.Plan {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{Spec: *spec}
	run.Name, run.Namespace, run.UID = "r", "n", "u"
	p, err := compile.Compile(run, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhatCombinationsCantShare(t *testing.T) {
	for suite, want := range map[string]string{
		`
template: {spec: {store: {name: redis, nodes: 1, endpoints: [{address: "a:1"}]}, workloads: [{name: a, preset: A}]}}
axes: [{name: rate, path: /load/rate, values: [1, 2]}]`: "store.endpoints are there already",
		`
template: {spec: {store: {name: redis}, workloads: [{name: a, preset: A}], objectives: [{metric: throughput, atLeast: "1"}]}}
axes: [{name: rate, path: /load/rate, values: [1, 2]}]`: "put them into compare.objectives",
		`
template: {spec: {store: {name: redis}, workloads: [{name: a, preset: A, reset: false}]}}
axes: [{name: rate, path: /load/rate, values: [1, 2]}]`: "workloads[0].reset is false",
		`
template: {spec: {store: {name: redis}, workloads: [{name: a-name-of-18-bytes, preset: A}]}}`: "workload a-name-of-18-bytes would be c1-a-name-of-18-bytes",
		`
template: {spec: {store: {name: redis}, workloads: [{name: a, preset: A}, {name: b, preset: B}, {name: c, preset: C}, {name: d, preset: D}, {name: e, preset: A}]}}
axes: [{name: rate, path: /load/rate, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}]`: "have 65 workloads, and a run has 64 at most",
	} {
		spec := specOf(t, suite)
		if _, problems := Expand(spec); len(problems) > 0 {
			t.Errorf("without reuse: %s", problems)
		}
		spec.Reuse = ReuseStore
		if _, problems := Expand(spec); len(problems) == 0 || !strings.Contains(problems.String(), want) {
			t.Errorf("%s, want %s", problems, want)
		}
	}
}
