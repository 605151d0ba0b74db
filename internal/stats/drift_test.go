package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sequence has trials around 100, with others from each place on.
func sequence(random *rand.Rand, trials int, from map[int]float64) []float64 {
	level, values := 100.0, make([]float64, trials)
	for i := range values {
		if changed, ok := from[i]; ok {
			level = changed
		}
		values[i] = level * math.Exp(0.03*random.NormFloat64())
	}
	return values
}

func TestChangesAreFoundWhereTheyAre(t *testing.T) {
	for name, c := range map[string]struct {
		trials int
		from   map[int]float64
	}{
		"once":           {24, map[int]float64{12: 120}},
		"near the begin": {24, map[int]float64{5: 120}},
		"and taken back": {40, map[int]float64{12: 125, 26: 100}},
		"thrice":         {60, map[int]float64{15: 120, 30: 140, 45: 110}},
	} {
		t.Run(name, func(t *testing.T) {
			random := seeded(4)
			values := sequence(random, c.trials, c.from)
			changes, err := Changes(values, 0.95, random.IntN)
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) != len(c.from) {
				t.Fatalf("%+v", changes)
			}
			for _, change := range changes {
				level, here := c.from[change.At]
				if !here || math.Abs(change.After/level-1) > 0.03 || change.Chance > 0.05 {
					t.Errorf("%+v", change)
				}
			}
		})
	}
}

func TestTooFewTrialsHaveNoChange(t *testing.T) {
	for n := range 2 * leastSegment {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i * 1000)
		}
		if changes, err := Changes(values, 0.95, seeded(1).IntN); err != nil || len(changes) != 0 {
			t.Errorf("%d: %+v, %v", n, changes, err)
		}
	}
	if _, err := Changes([]float64{1, math.Inf(1)}, 0.95, seeded(1).IntN); err == nil {
		t.Error("a trial without a figure: no error")
	}
	if _, err := Changes(nil, 0.999, seeded(1).IntN); err == nil {
		t.Error("more confidence than permutations show: no error")
	}
}

// 400 sequences: a share of 0.05 is known to ± 0.022.
func TestSequencesWithoutAChangeRarelyShowOne(t *testing.T) {
	const sequences = 400
	random, wrong := seeded(8), 0
	for range sequences {
		changes, err := Changes(sequence(random, 24, nil), 0.95, random.IntN)
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) > 0 {
			wrong++
		}
	}
	t.Logf("%d of %d", wrong, sequences)
	if share := float64(wrong) / sequences; share > 0.072 {
		t.Errorf("%.3f of the sequences without a change show one", share)
	}
}

func TestSequencesWithAChangeMostlyShowIt(t *testing.T) {
	const sequences = 100
	random, found, more := seeded(8), 0, 0
	for range sequences {
		changes, err := Changes(sequence(random, 24, map[int]float64{12: 110}), 0.95, random.IntN)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range changes {
			if change.At >= 11 && change.At <= 13 {
				found++
			}
		}
		if len(changes) > 1 {
			more++
		}
	}
	t.Logf("%d of %d, and others in %d", found, sequences, more)
	if more > sequences/10 {
		t.Errorf("%d of %d sequences with one change show more", more, sequences)
	}
	if found < sequences*9/10 {
		t.Errorf("a change by a tenth was found in %d of %d sequences", found, sequences)
	}
}
