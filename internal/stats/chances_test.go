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

// Trials of two systems that differ by the bound itself are seldom told apart, and those of one that is 20 % worse mostly are.
func TestUnpairedGatesRarelyCryWolf(t *testing.T) {
	for _, c := range []struct {
		trials, of int
		factor     float64
		failed     func(share float64) bool
	}{
		{8, 8, 1.05, func(share float64) bool { return share <= 0.03 }},
		{6, 24, 1.05, func(share float64) bool { return share <= 0.03 }},
		{60, 60, 1.05, func(share float64) bool { return share <= 0.03 }},
		{8, 8, 1.25, func(share float64) bool { return share > 0.95 }},
	} {
		random := seeded(uint64(c.trials + c.of))
		count, failed, passed := 2000, 0, 0
		for range count {
			draw := func(n int, times float64) []Range {
				figures := make([]Range, n)
				for i := range figures {
					figure := times * math.Exp(0.05*random.NormFloat64())
					figures[i] = Range{figure, figure}
				}
				return figures
			}
			chances, err := UnpairedRatioChances(draw(c.trials, c.factor), draw(c.of, 1), 1.05, false)
			if err != nil {
				t.Fatal(err)
			}
			_, gate, err := Gate([]Chances{chances}, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			switch gate {
			case Failed:
				failed++
			case Passed:
				passed++
			}
		}
		if share := float64(failed) / float64(count); !c.failed(share) {
			t.Errorf("%d trials against %d, %v times the baseline: %.4f of the gates have failed", c.trials, c.of, c.factor, share)
		}
		if share := float64(passed) / float64(count); share > 0.03 {
			t.Errorf("%d trials against %d, %v times the baseline: %.4f of the gates have passed", c.trials, c.of, c.factor, share)
		}
	}
}

func TestUnpairedRatiosOfWhatIsNotKnown(t *testing.T) {
	base := ranges(1, 1.01, 1.02, 0.99, 0.98, 1)
	anything := Range{0, math.Inf(1)}
	for name, c := range map[string]struct {
		subject []Range
		higher  bool
		want    Verdict
	}{
		"shorter":                      {ranges(0.5, 0.51, 0.52, 0.53, 0.54), false, Passed},
		"shorter, and one isn't known": {append(ranges(0.5, 0.51, 0.52, 0.53, 0.54), anything, anything, anything), false, Unknown},
		"longer, and one outlasted":    {append(ranges(2, 2.1, 2.2, 2.3, 2.4), Range{2, math.Inf(1)}), false, Failed},
		"gone":                         {ranges(0, 0, 0, 0, 0), false, Passed},
		"two are too few":              {ranges(5, 5), false, Unknown},
		"three are enough":             {ranges(5, 5, 5), false, Failed},
		"one is too few":               {ranges(5), false, Unknown},
		"more":                         {ranges(5, 5, 5, 5, 5), true, Passed},
		"as good as the bound":         {ranges(1.05, 1.05, 1.05, 1.05, 1.05, 1.05), false, Unknown},
	} {
		chances, err := UnpairedRatioChances(c.subject, base, 1.05, c.higher)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := Gate([]Chances{chances}, 0.95); err != nil || got != c.want {
			t.Errorf("%s: %s %v, want %s: %+v", name, got, err, c.want, chances)
		}
	}
	if chances, err := UnpairedRatioChances(nil, base, 1, false); err != nil || chances != (Chances{1, 1}) {
		t.Errorf("without trials: %+v, %v", chances, err)
	}
	for _, bound := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := UnpairedRatioChances(base, base, bound, false); err == nil {
			t.Errorf("the bound %v", bound)
		}
	}
	if _, err := UnpairedRatioChances(base, []Range{{2, 1}}, 1, false); err == nil {
		t.Error("a range that is none")
	}
}
