package stats

import (
	"math"
	"testing"
)

func ranges(figures ...float64) []Range { return known(figures) }

func TestWhatTrialsSayOfABoundOfTheirMedian(t *testing.T) {
	inf := math.Inf(1)
	eight := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	for name, c := range map[string]struct {
		figures []Range
		bound   float64
		higher  bool
		want    Verdict
	}{
		"all below":                        {ranges(eight...), 9, false, Passed},
		"all at the bound":                 {ranges(9, 9, 9, 9, 9, 9), 9, false, Passed},
		"all above":                        {ranges(eight...), 0.5, false, Failed},
		"one of eight above":               {ranges(eight...), 7, false, Unknown}, // 9/256 is above 0.025
		"one of nine above":                {ranges(append(eight, 0)...), 7, false, Passed},
		"half of them":                     {ranges(eight...), 4, false, Unknown},
		"five, and none above":             {ranges(1, 1, 1, 1, 1), 2, false, Unknown}, // 1/32 is above 0.025
		"throughput above":                 {ranges(eight...), 0.5, true, Passed},
		"throughput at it":                 {ranges(9, 9, 9, 9, 9, 9), 9, true, Passed},
		"throughput below":                 {ranges(eight...), 9, true, Failed},
		"none, and none may be":            {ranges(0, 0, 0, 0, 0, 0), 0, false, Passed},
		"none at all":                      {nil, 9, false, Unknown},
		"outages that outlasted the bound": {[]Range{{3, inf}, {3, inf}, {3, inf}, {3, inf}, {3, inf}, {3, inf}}, 2, false, Failed},
		"outages that may be longer":       {[]Range{{1, inf}, {1, inf}, {1, inf}, {1, inf}, {1, inf}, {1, inf}}, 2, false, Unknown},
		"trials without a figure":          {[]Range{{0, inf}, {0, inf}, {0, inf}, {0, inf}, {0, inf}, {0, inf}}, 2, true, Unknown},
		"one of eight without a figure":    {append(ranges(eight[:7]...), Range{0, inf}), 9, false, Unknown},
		"six, and one without a figure":    {append(ranges(1, 2, 3, 4, 5, 6), Range{0, inf}), 0.5, false, Unknown},
		"seven, and one without a figure":  {append(ranges(1, 2, 3, 4, 5, 6, 7, 8), Range{0, inf}), 0.5, false, Failed},
	} {
		chances, err := MedianChances(c.figures, c.bound, c.higher)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := Gate([]Chances{chances}, 0.95); err != nil || got != c.want {
			t.Errorf("%s: %s %v, want %s: %+v", name, got, err, c.want, chances)
		}
	}
}

// A pair that isn't known may be on either side of the bound.
func TestWhatPairsSayOfABoundOfTheirRatio(t *testing.T) {
	inf := math.Inf(1)
	unknown, outlasted := Range{0, inf}, Range{5, inf}
	base := ranges(1, 1, 1, 1, 1, 1, 1)
	pairs := func(figure float64, last Range) []Range {
		return append(ranges(figure, figure, figure, figure, figure, figure), last)
	}
	for name, c := range map[string]struct {
		subject, baseline []Range
		higher            bool
		want              Verdict
	}{
		"shorter":                               {pairs(0.5, Range{0.5, 0.5}), base, false, Passed},
		"shorter, and gone":                     {pairs(0.5, Range{0, 0}), base, false, Passed},
		"shorter, and one isn't known":          {pairs(0.5, unknown), base, false, Unknown},
		"longer, and one outlasted":             {pairs(5, outlasted), base, false, Failed},
		"longer, and one isn't known":           {pairs(5, unknown), base, false, Unknown},
		"shorter, and the baseline outlasted":   {pairs(0.5, Range{1, 1}), pairs(1, outlasted), false, Passed},
		"nothing to compare with":               {pairs(0, Range{}), pairs(0, Range{}), false, Unknown},
		"more, and one isn't known":             {pairs(5, unknown), base, true, Unknown},
		"more":                                  {pairs(5, Range{5, 5}), base, true, Passed},
		"less":                                  {pairs(0.5, Range{0.5, 0.5}), base, true, Failed},
		"longer, and the baseline is not known": {pairs(5, Range{5, 5}), pairs(1, unknown), false, Unknown},
	} {
		chances, err := RatioChances(c.subject, c.baseline, 1.05, c.higher)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := Gate([]Chances{chances}, 0.95); err != nil || got != c.want {
			t.Errorf("%s: %s %v, want %s: %+v", name, got, err, c.want, chances)
		}
	}
	// Some outages are gone, and some are new.
	mixed, err := RatioChances(ranges(0, 0, 0, 2, 2, 2), ranges(2, 2, 2, 0, 0, 0), 1, false)
	if err != nil || mixed.Good < 0.5 || mixed.Bad < 0.5 {
		t.Errorf("ratios of 0 and infinite ones: %+v, %v", mixed, err)
	}
	if chances, err := RatioChances(nil, nil, 1, false); err != nil || chances != (Chances{1, 1}) {
		t.Errorf("without any pair: %+v, %v", chances, err)
	}
}

func TestFiguresThatAreNoneAreRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, figure := range []Range{{nan, nan}, {-1, 1}, {2, 1}, {inf, inf}, {1, nan}} {
		if _, err := MedianChances([]Range{figure}, 1, false); err == nil {
			t.Errorf("%v as a median", figure)
		}
		if _, err := RatioChances([]Range{figure}, ranges(1), 1, false); err == nil {
			t.Errorf("%v in a ratio", figure)
		}
	}
	for _, bound := range []float64{nan, inf, -1} {
		if _, err := MedianChances(nil, bound, false); err == nil {
			t.Errorf("the bound %v", bound)
		}
	}
	if _, err := RatioChances(ranges(1), nil, 1, false); err == nil {
		t.Error("a subject without a baseline")
	}
}

// Of systems whose median is at the bound, a gate is seldom told apart either way.
func TestGatesOfMediansRarelyCryWolf(t *testing.T) {
	for _, trials := range []int{6, 8, 12, 24} {
		random, wrong := seeded(uint64(trials)), map[Verdict]int{}
		for range suites {
			bounds := make([]Chances, 4)
			for i := range bounds {
				figures := make([]Range, trials)
				for j := range figures {
					figure := random.ExpFloat64()
					figures[j] = Range{figure, figure}
				}
				chances, err := MedianChances(figures, math.Ln2, false)
				if err != nil {
					t.Fatal(err)
				}
				bounds[i] = chances
			}
			_, gate, err := Gate(bounds, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			wrong[gate]++
		}
		for _, verdict := range []Verdict{Failed, Passed} {
			if share := float64(wrong[verdict]) / suites; share > 0.055 {
				t.Errorf("%d trials: %.4f of the gates are %s, want at most 0.055", trials, share, verdict)
			}
		}
	}
}
