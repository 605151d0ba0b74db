package suite

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

// Prefix begins the names of a combination's workloads in a run that it shares with others.
func Prefix(combination int) string { return "c" + strconv.Itoa(combination+1) + "-" }

// SpecOf is the spec of a turn's run. In a run that several combinations share, each begins with an empty store, and with records of its
// own. Where the template has no seed, all runs of a block have the same.
func SpecOf(combinations []Combination, turn *Turn, seed uint64) *v1alpha1.BenchmarkRunSpec {
	spec := combinations[turn.Combinations[0]].Spec.DeepCopy()
	if turn.Shared {
		spec = withoutWork(spec)
		for _, combination := range turn.Combinations {
			spec.Workloads = append(spec.Workloads, sharedWorkloads(&combinations[combination].Spec, Prefix(combination))...)
		}
	}
	if spec.Seed == nil {
		spec.Seed = ptr.To(RunSeed(seed, turn.Block))
	}
	return spec
}

// sharedWorkloads are a combination's, as they say what they are in a run of others.
func sharedWorkloads(spec *v1alpha1.BenchmarkRunSpec, prefix string) []v1alpha1.WorkloadSpec {
	workloads := make([]v1alpha1.WorkloadSpec, len(spec.Workloads))
	for i := range spec.Workloads {
		w := spec.Workloads[i].DeepCopy()
		w.Name = prefix + w.Name
		w.Load = compile.LoadOf(spec, i)
		if i == 0 {
			w.Reset = ptr.To(true)
			if w.Records == nil && w.InsertCount == nil {
				w.Records = ptr.To[int64](compile.DefaultRecords)
			}
		}
		workloads[i] = *w
	}
	return workloads
}

// NameOf is how people call what a turn's run measures.
func NameOf(combinations []Combination, turn *Turn) string {
	names := make([]string, len(turn.Combinations))
	for i, combination := range turn.Combinations {
		names[i] = combinations[combination].Name()
	}
	if !turn.Shared {
		return names[0]
	}
	return "one store for: " + strings.Join(names, "; ")
}

// refuseShared refuses what combinations can't have that share a store.
func refuseShared(spec *v1alpha1.BenchmarkSuiteSpec, all []Combination, problems *Problems) {
	stores, err := Stores(spec, all, nil)
	if err != nil {
		problems.add("", err.Error())
		return
	}
	for _, store := range stores {
		if !store.Shared {
			continue
		}
		workloads := 0
		for _, i := range store.Combinations {
			workloads += len(all[i].Spec.Workloads)
			refuseInShared(&all[i], Prefix(i), problems)
		}
		if workloads > maxWorkloads {
			problems.add("", fmt.Sprintf("the %d combinations that share a store, such as %s, have %d workloads, and a run has %d at most: shorten an axis, or leave reuse out",
				len(store.Combinations), all[store.Combinations[0]].Name(), workloads, maxWorkloads))
		}
	}
}

// maxWorkloads is the API's bound of a run's workloads.
const maxWorkloads = 64

// maxName is the API's bound of a workload's name.
const maxName = 20

func refuseInShared(c *Combination, prefix string, problems *Problems) {
	spec := &c.Spec
	for i := range spec.Workloads {
		if name := spec.Workloads[i].Name; len(prefix+name) > maxName && len(name) <= maxName {
			problems.add(c.Name(), fmt.Sprintf("workload %s would be %s%s in a run that combinations share, and a name has %d characters at most: shorten it", name, prefix, name, maxName))
		}
	}
	switch {
	case len(spec.Store.Endpoints) > 0:
		problems.add(c.Name(), "reuse is for stores that kvbench deploys, and store.endpoints are there already: leave reuse out")
	case len(spec.Objectives) > 0:
		problems.add(c.Name(), "objectives of the template would be those of a run that several combinations share: put them into compare.objectives, with basis: Run")
	case len(spec.Workloads) > 0 && spec.Workloads[0].Reset != nil && !*spec.Workloads[0].Reset:
		problems.add(c.Name(), "workloads[0].reset is false, and each combination begins with an empty store: leave it out")
	}
}
