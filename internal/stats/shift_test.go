package stats

import (
	"math"
	"testing"
)

// The averages of 1, 2 and 4 are 1, 1.5, 2, 2.5, 3 and 4. Their statistic is 0 or 6 with 1/8 each.
func TestAShiftIsTheMiddleOfAllAverages(t *testing.T) {
	estimate, err := PairedShift([]float64{1, 2, 4}, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	if estimate.Value != 2.25 || estimate.Trials != 3 {
		t.Errorf("%+v", estimate)
	}
	if i := estimate.Interval; i == nil || i.Low != 1 || i.High != 4 || i.Confidence != 0.75 {
		t.Errorf("%+v", i)
	}
}

// The depression scores of nine patients before and after, from Hollander and Wolfe; R's wilcox.test(y - x, conf.int =
// TRUE, conf.level = 0.95) gives these.
func TestTheShiftOfATextbook(t *testing.T) {
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	var differences []float64
	for i := range x {
		differences = append(differences, y[i]-x[i])
	}
	estimate, err := PairedShift(differences, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the shift", estimate.Value, -0.46)
	near(t, "the low end", estimate.Interval.Low, -0.786)
	near(t, "the high end", estimate.Interval.High, -0.010)
	near(t, "the confidence", estimate.Interval.Confidence, 1-2*10.0/512)
}

// The permeability of the human chorioamnion at term and earlier, from Hollander and Wolfe; R's wilcox.test(x, y,
// conf.int = TRUE) gives these.
func TestTheShiftBetweenTwoSamplesOfATextbook(t *testing.T) {
	x := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	y := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	estimate, err := Shift(x, y, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the shift", estimate.Value, 0.305)
	near(t, "the low end", estimate.Interval.Low, -0.15)
	near(t, "the high end", estimate.Interval.High, 0.76)
}

func TestRatiosAreShiftsOfLogarithms(t *testing.T) {
	first, second := []float64{2, 4, 8, 16, 32, 64}, []float64{1, 2, 4, 8, 16, 32}
	paired, err := PairedRatio(first, second, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the ratio of pairs", paired.Value, 2)
	near(t, "its low end", paired.Interval.Low, 2)
	near(t, "its high end", paired.Interval.High, 2)
	ratio, err := Ratio(first, second, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the ratio", ratio.Value, 2)
	if ratio.Interval.Low >= 1 || ratio.Interval.High <= 4 {
		t.Errorf("trials that aren't paired know less: %+v", ratio.Interval)
	}
}

func TestFiguresWithoutARatioAreRefused(t *testing.T) {
	for name, bad := range map[string]float64{"zero": 0, "below zero": -1, "no number": math.NaN(), "without end": math.Inf(1)} {
		if _, err := PairedRatio([]float64{1, bad}, []float64{1, 1}, 0.95); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := Ratio([]float64{1}, []float64{bad}, 0.95); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := PairedRatio([]float64{1}, nil, 0.95); err == nil {
		t.Error("pairs of one and none: no error")
	}
	if _, err := PairedShift(nil, 0.95); err != ErrNoTrials {
		t.Errorf("no pairs: %v", err)
	}
	for _, confidence := range []float64{0, 1, 95, math.NaN()} {
		if _, err := PairedShift([]float64{1}, confidence); err == nil {
			t.Errorf("confidence %v: no error", confidence)
		}
	}
}

func TestFiveTrialsHaveNoInterval(t *testing.T) {
	for n, has := range map[int]bool{1: false, 5: false, 6: true} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		paired, err := PairedShift(values, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		median, err := Median(values, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if (paired.Interval != nil) != has || (median.Interval != nil) != has {
			t.Errorf("%d: %+v and %+v", n, paired.Interval, median.Interval)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-3 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
