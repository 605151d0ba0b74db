package findings

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// noisy has the second system at half the throughput of the first, and noise of 2 %. From a block on, all of it is so many times.
func noisy(from int, times float64) func(block, combination int) *report.Report {
	random := rand.New(rand.NewPCG(1, 2))
	return func(block, combination int) *report.Report {
		throughput := 1000 / float64(1+combination) * (1 + 0.02*random.NormFloat64())
		if block >= from {
			throughput *= times
		}
		return runReport(throughput, 2000)
	}
}

func TestAMachineThatChangesIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		blocks, from int
		times        float64
		want         string // "" is nothing
	}{
		"it doesn't":              {12, 12, 1, ""},
		"it gets slower":          {12, 6, 0.8, "from valid trial 13 on, throughput was 0.8"},
		"too few trials to tell":  {3, 2, 0.5, ""},
		"in a suite of thousands": {1000, 500, 0.8, "on, throughput was 0.8"},
	} {
		var found []string
		for _, warning := range must(t, suiteOf(c.blocks), runsBy(noisy(c.from, c.times))).Warnings {
			if strings.Contains(warning, "from valid trial") {
				found = append(found, warning)
			}
		}
		if c.want == "" && len(found) == 0 {
			continue
		}
		if c.want == "" || len(found) != 1 || !strings.Contains(found[0], c.want) {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// manyOf has the axis a with eight values, and the fewest blocks in which a change is looked for.
func manyOf(ended int) *manifest.Manifest {
	m := &manifest.Manifest{Format: manifest.Format, Blocks: fewestTrials, Complete: ended == fewestTrials, Axes: []manifest.Axis{{Name: "a"}}}
	for c := range 8 {
		m.Axes[0].Values = append(m.Axes[0].Values, fmt.Sprint(c))
		m.Combinations = append(m.Combinations, []manifest.Label{{Axis: "a", Value: fmt.Sprint(c)}})
	}
	for block := range ended {
		for c := range 8 {
			uid := fmt.Sprintf("b%dc%d", block, c)
			m.Trials = append(m.Trials, manifest.Trial{Block: block, Combination: c, Attempts: []manifest.Attempt{{Run: uid, UID: uid, Outcome: manifest.Valid}}})
		}
	}
	return m
}

func TestAMachineThatDoesNotChangeIsRarelyAccused(t *testing.T) {
	for _, ended := range []int{2, fewestTrials} {
		random, accused := rand.New(rand.NewPCG(3, 4)), 0
		const suites = 200
		for i := range uint64(suites) {
			m := manyOf(ended)
			m.Seed = i
			r := must(t, m, runsBy(func(int, int) *report.Report { return runReport(1000*(1+0.03*random.NormFloat64()), 2000) }))
			for _, warning := range r.Warnings {
				if strings.Contains(warning, "from valid trial") {
					accused++
				}
			}
		}
		t.Logf("after %d blocks %.1f %% of the suites", ended, 100*float64(accused)/suites)
		if accused > suites*6/100 || ended < fewestTrials && accused > 0 {
			t.Errorf("after %d blocks %d of %d suites", ended, accused, suites)
		}
	}
}

// A store that is slower than another is no change of the machine, whatever the order of the trials.
func TestADifferenceOfStoresIsNoChange(t *testing.T) {
	r := must(t, suiteOf(12), runsBy(noisy(12, 1)))
	if values, _ := r.sequence("throughput"); len(values) != 24 || values[1] > 0.2 || values[1] < -0.2 {
		t.Errorf("%v", values)
	}
}
