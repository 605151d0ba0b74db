package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// ReuseStore is the value of spec.reuse with which combinations share a store.
const ReuseStore = "Store"

// Turn is one run of a block in its turn. Its combinations are in the order in which they are measured. Store counts the stores of a
// block from 0.
type Turn struct {
	Block, Store int
	Combinations []int
	// Shared says that the run is of a store that several combinations may share.
	Shared bool
}

// Trials of the turn, in their order.
func (t *Turn) Trials() []Trial {
	trials := make([]Trial, len(t.Combinations))
	for i, combination := range t.Combinations {
		trials[i] = Trial{t.Block, combination}
	}
	return trials
}

// Left is the turn with these combinations of it alone.
func (t *Turn) Left(combinations []int) Turn {
	left := *t
	left.Combinations = combinations
	return left
}

// Store is what the runs of a block have in common that are one.
type Store struct {
	Combinations []int // by their index
	// Shared says that it may serve several combinations, though it may be one.
	Shared bool
}

// Stores says which combinations share a store, in the order of their first combinations. measured says which of the combinations
// have trials; nil is all.
func Stores(spec *v1alpha1.BenchmarkSuiteSpec, combinations []Combination, measured []bool) (stores []Store, err error) {
	known := map[string]int{} // by what runs on one store have in common
	for i := range combinations {
		if measured != nil && !measured[i] {
			continue
		}
		if spec.Reuse != ReuseStore || len(combinations[i].Spec.Faults) > 0 {
			stores = append(stores, Store{Combinations: []int{i}})
			continue
		}
		common, err := json.Marshal(withoutWork(&combinations[i].Spec))
		if err != nil {
			return nil, fmt.Errorf("writing a run's spec: %w", err)
		}
		at, there := known[string(common)]
		if !there {
			at = len(stores)
			known[string(common)] = at
			stores = append(stores, Store{Shared: true})
		}
		stores[at].Combinations = append(stores[at].Combinations, i)
	}
	return stores, nil
}

// withoutWork is what a run says of its store, without its workloads and what drives them.
func withoutWork(spec *v1alpha1.BenchmarkRunSpec) *v1alpha1.BenchmarkRunSpec {
	rest := *spec
	rest.Workloads, rest.Load.WorkloadLoadSpec = nil, v1alpha1.WorkloadLoadSpec{}
	return &rest
}

// Turns are the runs of all blocks, in their order: that of Order, with the combinations of one store one after the other, where
// the first of them is.
func Turns(seed uint64, stores []Store, blocks int) []Turn {
	storeOf := map[int]int{}
	for i, store := range stores {
		for _, combination := range store.Combinations {
			storeOf[combination] = i
		}
	}
	measured := slices.Sorted(maps.Keys(storeOf))
	combinations := len(measured)
	turns := make([]Turn, 0, len(stores)*blocks)
	order := Order(seed, combinations, blocks)
	places := make([]int, len(stores))
	for block := range blocks {
		for i := range places {
			places[i] = -1
		}
		for _, trial := range order[block*combinations : (block+1)*combinations] {
			combination := measured[trial.Combination]
			store := storeOf[combination]
			if places[store] < 0 {
				places[store] = len(turns)
				turns = append(turns, Turn{Block: block, Store: store, Shared: stores[store].Shared})
			}
			turn := &turns[places[store]]
			turn.Combinations = append(turn.Combinations, combination)
		}
	}
	return turns
}

// TrialsOf are the trials of the turns, in their order.
func TrialsOf(turns []Turn) (trials []Trial) {
	for i := range turns {
		trials = append(trials, turns[i].Trials()...)
	}
	return trials
}

// RunName is the name of the run that is a turn's attempt; attempts count from 0.
func RunName(suite string, turn *Turn, attempt int) string {
	// Each pass of a suite makes the names of all its runs.
	name := suite + "-b" + strconv.Itoa(turn.Block+1)
	if turn.Shared {
		name += "-s" + strconv.Itoa(turn.Store+1)
	} else {
		name += "-c" + strconv.Itoa(turn.Combinations[0]+1)
	}
	if attempt > 0 {
		name += "-r" + strconv.Itoa(attempt)
	}
	return name
}
