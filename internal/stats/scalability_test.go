package stats

import (
	"math"
	"testing"
)

func TestALawIsFoundAgain(t *testing.T) {
	for name, law := range map[string]Scalability{
		"all of it":     {Lambda: 1000, Sigma: 0.1, Kappa: 0.01},
		"contention":    {Lambda: 500, Sigma: 0.3},
		"coherence":     {Lambda: 500, Kappa: 0.02},
		"straight line": {Lambda: 20},
	} {
		t.Run(name, func(t *testing.T) {
			var sizes []Size
			for _, n := range []float64{1, 3, 5, 7, 9} {
				sizes = append(sizes, Size{N: n, Trials: []float64{law.At(n), law.At(n), law.At(n)}})
			}
			growth, err := FitGrowth(sizes, 0.95, seeded(1).IntN)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "λ", growth.Lambda/law.Lambda, 1)
			near(t, "σ", growth.Sigma, law.Sigma)
			near(t, "κ", growth.Kappa, law.Kappa)
			for i, residual := range growth.Residuals {
				near(t, "a residual", residual, 0)
				near(t, "a throughput", growth.At(sizes[i].N)/sizes[i].Trials[0], 1)
			}
			if law.Kappa > 0 {
				near(t, "the peak", growth.Peak(), math.Sqrt((1-law.Sigma)/law.Kappa))
			}
		})
	}
}

// What grows faster than a line has the law of a line, not one below it in its parameters.
func TestGrowthBeyondALineIsALine(t *testing.T) {
	var sizes []Size
	for _, n := range []float64{1, 3, 5, 7, 9} {
		sizes = append(sizes, Size{N: n, Trials: []float64{100 * math.Pow(n, 1.2)}})
	}
	growth, err := FitGrowth(sizes, 0.95, seeded(1).IntN)
	if err != nil {
		t.Fatal(err)
	}
	if growth.Sigma != 0 || growth.Kappa != 0 || !math.IsInf(growth.Peak(), 1) {
		t.Errorf("%+v", growth)
	}
	if growth.Residuals[0] >= 0 || growth.Residuals[4] <= 0 {
		t.Errorf("the residuals show it: %v", growth.Residuals)
	}
}

func TestIntervalsOfALawHaveTheTrueOneMostly(t *testing.T) {
	law, random := Scalability{Lambda: 1000, Sigma: 0.1, Kappa: 0.02}, seeded(3)
	const laws, trials = 200, 12
	sigma, kappa := 0, 0
	for range laws {
		var sizes []Size
		for _, n := range []float64{1, 3, 5, 7, 9} {
			size := Size{N: n}
			for range trials {
				size.Trials = append(size.Trials, law.At(n)*math.Exp(0.03*random.NormFloat64()))
			}
			sizes = append(sizes, size)
		}
		growth, err := FitGrowth(sizes, 0.95, random.IntN)
		if err != nil {
			t.Fatal(err)
		}
		if growth.SigmaWithin.Low <= law.Sigma && law.Sigma <= growth.SigmaWithin.High {
			sigma++
		}
		if growth.KappaWithin.Low <= law.Kappa && law.Kappa <= growth.KappaWithin.High {
			kappa++
		}
	}
	t.Logf("σ %d, κ %d of %d", sigma, kappa, laws)
	if sigma < laws*9/10 || kappa < laws*9/10 {
		t.Errorf("σ was in %d and κ in %d of %d intervals of 0.95", sigma, kappa, laws)
	}
}

func TestWhereALawPeaks(t *testing.T) {
	for _, c := range []struct {
		law  Scalability
		peak float64
	}{
		{Scalability{Lambda: 1}, math.Inf(1)},
		{Scalability{Lambda: 1, Sigma: 0.1, Kappa: 0.01}, math.Sqrt(90)},
		{Scalability{Lambda: 1, Sigma: 1.5}, 1},
		{Scalability{Lambda: 1, Sigma: 1.5, Kappa: 0.01}, 1},
		{Scalability{Lambda: 1, Sigma: 0.5, Kappa: 2}, 1},
	} {
		if got := c.law.Peak(); got != c.peak {
			t.Errorf("%+v: %v, want %v", c.law, got, c.peak)
		}
	}
}

func TestFewTrialsGiveALawWithoutIntervals(t *testing.T) {
	var sizes []Size
	for _, n := range []float64{1, 3, 5, 7, 9} {
		sizes = append(sizes, Size{N: n, Trials: []float64{n, n, n, n, n}})
	}
	growth, err := FitGrowth(sizes, 0.95, seeded(1).IntN)
	if err != nil || growth.LambdaWithin != nil || growth.SigmaWithin != nil || growth.KappaWithin != nil {
		t.Errorf("%+v, %v", growth, err)
	}
}

func TestALawNeedsFiveSizes(t *testing.T) {
	size := func(n float64) Size { return Size{N: n, Trials: []float64{n}} }
	for name, sizes := range map[string][]Size{
		"four":              {size(1), size(3), size(5), size(7)},
		"one of them twice": {size(1), size(3), size(5), size(7), size(7)},
		"one without trial": {size(1), size(3), size(5), size(7), {N: 9}},
		"one of nothing":    {{N: 0, Trials: []float64{1}}, size(3), size(5), size(7), size(9)},
		"a figure of zero":  {{N: 1, Trials: []float64{0}}, size(3), size(5), size(7), size(9)},
	} {
		if _, err := FitGrowth(sizes, 0.95, seeded(1).IntN); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
