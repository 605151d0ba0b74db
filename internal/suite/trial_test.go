package suite

import (
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func TestABlockHasEachCombinationOnce(t *testing.T) {
	const combinations, blocks = 7, 50
	order := Order(42, combinations, blocks)
	if len(order) != combinations*blocks {
		t.Fatalf("%d trials", len(order))
	}
	firsts := map[int]int{}
	for block := range blocks {
		seen := map[int]bool{}
		for _, trial := range order[block*combinations : (block+1)*combinations] {
			if trial.Block != block || seen[trial.Combination] {
				t.Fatalf("block %d has %+v", block, trial)
			}
			seen[trial.Combination] = true
		}
		firsts[order[block*combinations].Combination]++
	}
	if len(firsts) != combinations {
		t.Errorf("only %d of %d combinations are ever the first of their block", len(firsts), combinations)
	}
}

func TestTheOrderFollowsFromTheSeed(t *testing.T) {
	order := Order(1, 6, 4)
	if !slices.Equal(order, Order(1, 6, 4)) {
		t.Error("the same seed gives another order")
	}
	if slices.Equal(order, Order(2, 6, 4)) {
		t.Error("another seed gives the same order")
	}
	if more := Order(1, 6, 9); !slices.Equal(order, more[:len(order)]) {
		t.Error("more trials change the order of the first ones")
	}
	// The order of a suite that is under way must not change with a version of kvbench.
	var first []int
	for _, trial := range order[:6] {
		first = append(first, trial.Combination)
	}
	if want := []int{4, 5, 0, 2, 1, 3}; !slices.Equal(first, want) {
		t.Errorf("the first block is %v, and was %v", first, want)
	}
}

func TestRunsOfABlockShareTheirSeed(t *testing.T) {
	if RunSeed(1, 0) != RunSeed(1, 0) || RunSeed(1, 0) == RunSeed(1, 1) || RunSeed(1, 0) == RunSeed(2, 0) {
		t.Error("seeds don't follow from the suite's seed and the block")
	}
	for block := range 1000 {
		if RunSeed(7, block) < 0 {
			t.Fatalf("block %d has a negative seed", block)
		}
	}
}

func TestWhatTheStoreDidIsNotRepeated(t *testing.T) {
	for _, c := range []struct {
		outcome manifest.Outcome
		reasons []string
		again   bool
	}{
		{manifest.Valid, nil, false},
		{manifest.NotValid, []string{report.GeneratorLag}, true},
		{manifest.NotValid, []string{report.GeneratorLag, report.TopologyGap}, true},
		{manifest.NotValid, []string{report.GeneratorLag, report.LoadIncomplete}, false},
		{manifest.NotValid, []string{report.NothingJudged}, false},
		{manifest.NotValid, []string{"Unheard"}, false},
		{manifest.NotValid, nil, false},
		{manifest.Failed, []string{"MeasurementLost"}, true},
		{manifest.Failed, []string{"DeployTimedOut"}, false},
		{manifest.Failed, []string{"UnknownStore"}, false},
		{manifest.Failed, []string{report.GeneratorLag}, false},
	} {
		if got := Repeatable(c.outcome, c.reasons); got != c.again {
			t.Errorf("%s for %v: %t", c.outcome, c.reasons, got)
		}
	}
}
